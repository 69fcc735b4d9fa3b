// A record as a citation: a sentence and DataCite's JSON (schema 4), only from the metadata. The service writes BibTeX and RIS.

import { yearOf } from "../times.ts";
import type { Contact, Feature } from "../types.ts";

export interface Citation {
  key: string;
  title: string;
  authors: string[];
  publisher: string | null;
  year: number | null;
  doi: string | null;
  url: string;
}

const AUTHORS = ["author", "originator", "principalInvestigator", "creator", "owner", "pointOfContact", "publisher"];

/** Without a DOI the landing page is cited, as the service does; `page`, the record's page here, if it links to none. */
export function citationOf(feature: Feature, page: string): Citation {
  const { properties } = feature;
  const contacts = properties.contacts ?? [];
  const authors = authorsOf(contacts);
  const publisher = contacts.find((one) => one.roles?.includes("publisher"))?.organization ?? null;
  const doi = (properties.externalIds ?? []).map((one) => /10\.\d{4,9}\/\S+/.exec(one.value)?.[0]).find(Boolean) ?? null;
  return {
    key: feature.id.replace(/[^A-Za-z0-9]+/g, "_"),
    title: properties.title ?? feature.id,
    authors,
    publisher: publisher ?? authors[0] ?? null,
    year: yearOf(properties.created),
    doi,
    url: doi ? `https://doi.org/${doi}` : (landingPage(feature) ?? page),
  };
}

/** The first web address of the best relation. */
function landingPage(feature: Feature): string | undefined {
  const web = (feature.links ?? []).filter((one) => /^https?:\/\//.test(one.href));
  return (web.find((one) => one.rel === "cite-as") ?? web.find((one) => one.rel === "about"))?.href;
}

/** The contacts with the first role in the list that occurs; people by name, else organisations. */
function authorsOf(contacts: readonly Contact[]): string[] {
  const role = AUTHORS.find((one) => contacts.some((contact) => contact.roles?.includes(one)));
  const named = contacts.filter((contact) => role === undefined || contact.roles?.includes(role));
  return [...new Set(named.map((one) => one.name ?? one.organization ?? "").filter(Boolean))];
}

export function plain(one: Citation): string {
  const who = one.authors.join("; ");
  const year = one.year === null ? "" : ` (${one.year})`;
  const publisher = one.publisher && one.publisher !== who ? ` ${one.publisher}.` : "";
  return `${who}${year}${who || year ? ": " : ""}${one.title}.${publisher} ${one.url}`;
}

const GENERAL: Record<string, string> = {
  dataset: "Dataset", series: "Collection", collection: "Collection", service: "Service", software: "Software",
  document: "Text",
};

export function datacite(one: Citation, feature: Feature): string {
  const { properties } = feature;
  const boxes = (properties["sonde:boxes"] ?? []).map(([west, south, east, north]) => ({
    geoLocationBox: {
      westBoundLongitude: west,
      eastBoundLongitude: east,
      southBoundLatitude: south,
      northBoundLatitude: north,
    },
  }));
  const said = {
    identifiers: one.doi ? [{ identifier: one.doi, identifierType: "DOI" }] : [],
    creators: one.authors.map((name) => ({ name })),
    titles: [{ title: one.title }],
    publisher: one.publisher === null ? undefined : { name: one.publisher },
    publicationYear: one.year === null ? undefined : String(one.year),
    types: { resourceTypeGeneral: GENERAL[properties.type ?? ""] ?? "Other", resourceType: properties.type },
    url: one.url,
    descriptions: properties.description ? [{ description: properties.description, descriptionType: "Abstract" }] : [],
    subjects: (properties.keywords ?? []).map((subject) => ({ subject })),
    dates: (properties["sonde:times"] ?? []).map(([start, end]) => ({ date: `${start ?? ""}/${end ?? ""}`, dateType: "Collected" })),
    geoLocations: boxes,
    rightsList: [properties.license, properties.rights].filter(Boolean).map((rights) => ({ rights })),
    schemaVersion: "http://datacite.org/schema/kernel-4",
  };
  return `${JSON.stringify(said, null, 2)}\n`;
}
