// English, and the list of all texts of the FAIR table. Questions and advice are those of the API.

import { numbersIn } from "../../words/numbers.ts";

const { count } = numbersIn("en");

export const words = {
  caption: (title: string) => `FAIR indicators of ${title}`,
  all: (n: number) => `Of ${count(n, "record", "records")}.`,
  part: (n: number, of: number) => `Of ${count(n, "random record", "random records")} of ${count(of, "record", "records")}.`,
  model: "RDA's FAIR data maturity model",
  indicator: "Indicator",
  priority: "Priority",
  share: "Holds for",
  improve: "What to improve",
  nothing: "Nothing",
  notMeasured: "not measured",
  partly: (n: number) => `${count(n, "record", "records")} not measured`,
  priorities: { essential: "essential", important: "important", useful: "useful" } as Record<string, string>,
  questions: {
    "RDA-F1-01M": "Do the metadata have a persistent identifier?",
    "RDA-F1-01D": "Do the data have a persistent identifier?",
    "RDA-F1-02M": "Is the metadata's identifier unique in the world?",
    "RDA-F2-01M": "Are the metadata rich enough to be found?",
    "RDA-F3-01M": "Do the metadata name the data by identifier or address?",
    "RDA-A1-01M": "Do the metadata say how to get the data?",
    "RDA-A1-03D": "Does an address of the data work?",
    "RDA-A1-04D": "Can the data be fetched by a standard protocol?",
    "RDA-A1-05D": "Can a program fetch the data without a person's help?",
    "RDA-I2-01M": "Do keywords come from a shared vocabulary?",
    "RDA-I3-03M": "Do the metadata refer to other metadata, and say how they are related?",
    "RDA-R1-01M": "Do the metadata describe the data in enough detail for reuse?",
    "RDA-R1.1-01M": "Do the metadata say under which terms the data can be used?",
    "RDA-R1.1-02M": "Is it a standard licence?",
    "RDA-R1.1-03M": "Can a program read the licence?",
    "RDA-R1.2-01M": "Do the metadata say how the data were made?",
    "RDA-R1.2-02M": "Is the origin written in a form that programs can follow?",
    "RDA-R1.3-01M": "Do the metadata follow a standard of a community?",
    "RDA-R1.3-01D": "Are the data in a format that a community uses?",
  } as Record<string, string>,
  advice: {
    "RDA-F1-01M": "Register the metadata record under a DOI, Handle, ARK or permanent address, and use it as its identifier.",
    "RDA-F1-01D": "Register a DOI or Handle for the data and name it in the metadata.",
    "RDA-F1-02M": "Use a UUID, a persistent identifier, or one that begins with your domain.",
    "RDA-F2-01M": "Complete title, abstract (100 characters or more), keywords, extent, period and contact.",
    "RDA-F3-01M": "Add the DOI of the data, or a link to the files or the service.",
    "RDA-A1-01M": "Add a landing page, a download or a service, or the conditions and a mail address to ask.",
    "RDA-A1-03D": "Correct the links to files and services that led nowhere at the last link check.",
    "RDA-A1-04D": "Link the files or the service by HTTP or FTP, and mark the link as a download or service.",
    "RDA-A1-05D": "Link the files or the service directly, without a form or an order, and open the access if you can.",
    "RDA-I2-01M": "Take keywords from a vocabulary such as GCMD, GEMET or CF, and give its title or the addresses of the terms.",
    "RDA-I3-03M": "Name the series, the sources, other versions or a document about the data, each with its relation.",
    "RDA-R1-01M": "State at least three of: variables, platform or instrument, resolution, format, version, date.",
    "RDA-R1.1-01M": "State the licence, or the conditions of use.",
    "RDA-R1.1-02M": "Choose a known licence, for example CC BY 4.0, and write its name with its version.",
    "RDA-R1.1-03M": "Write the licence as its SPDX identifier or its address, not in a sentence.",
    "RDA-R1.2-01M": "Describe the lineage: from what, by which method, with which processing.",
    "RDA-R1.2-02M": "Name the sources and processing steps as elements of the lineage, not only in a text.",
    "RDA-R1.3-01M": "Publish the metadata in a standard for geodata, such as ISO 19115, DCAT-AP, STAC or DataCite.",
    "RDA-R1.3-01D": "State the format, and offer the data as NetCDF, GeoTIFF, Zarr, GeoPackage or another format of your field.",
  } as Record<string, string>,
};

export type FairWords = typeof words;
