// The citation, with buttons to copy and save it.

import { useState } from "preact/hooks";
import { asProblem, type Problem, sent } from "../api.ts";
import { recordAddress } from "../route.ts";
import { CopyButton } from "../shell/copyButton.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { type Citation, citationOf, datacite, plain } from "./citation.ts";
import { itemAddress } from "./useRecord.ts";

interface Format {
  name: string;
  ending: string;
  content(citation: Citation, feature: Feature): Promise<Blob>;
}

const FORMATS: readonly Format[] = [
  { name: "BibTeX", ending: "bib", content: (_, feature) => written(feature, "bibtex") },
  { name: "RIS", ending: "ris", content: (_, feature) => written(feature, "ris") },
  {
    name: "DataCite", ending: "json",
    content: async (citation, feature) => new Blob([datacite(citation, feature)], { type: "application/vnd.datacite.datacite+json" }),
  },
];

export function CitePanel({ feature }: { feature: Feature }) {
  const words = useWords();
  const [problem, setProblem] = useState<Problem | null>(null);
  const citation = citationOf(feature, new URL(recordAddress(feature.id), document.baseURI).href);
  const text = plain(citation);
  const save = async ({ content, ending }: Format) => saveFile(await content(citation, feature), `${citation.key}.${ending}`);
  return (
    <>
      <p class="citation">{text}</p>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
      <p class="row">
        <CopyButton text={text} />
        {FORMATS.map((format) => (
          <button key={format.name} type="button" aria-label={words.download({ format: format.name })} onClick={() => void save(format).catch((error: unknown) => setProblem(asProblem(error)))}>
            {format.name}
          </button>
        ))}
      </p>
    </>
  );
}

/** As the service writes it for everybody: the same entry from the page, a program and a list of results. */
async function written(feature: Feature, form: string): Promise<Blob> {
  return (await sent(itemAddress(feature.id, `?f=${form}`), {})).blob();
}
