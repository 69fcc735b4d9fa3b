// The citation, with buttons to copy and save it.

import { recordAddress } from "../route.ts";
import { CopyButton } from "../shell/copyButton.tsx";
import { saveFile } from "../shell/save.ts";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { bibtex, type Citation, citationOf, datacite, plain, ris } from "./citation.ts";

interface Format {
  name: string;
  ending: string;
  mediaType: string;
  write(citation: Citation, feature: Feature): string;
}

const FORMATS: readonly Format[] = [
  { name: "BibTeX", ending: "bib", mediaType: "application/x-bibtex", write: bibtex },
  { name: "RIS", ending: "ris", mediaType: "application/x-research-info-systems", write: ris },
  { name: "DataCite", ending: "json", mediaType: "application/vnd.datacite.datacite+json", write: datacite },
];

export function CitePanel({ feature }: { feature: Feature }) {
  const words = useWords();
  const citation = citationOf(feature, new URL(recordAddress(feature.id), document.baseURI).href);
  const text = plain(citation);
  return (
    <>
      <p class="citation">{text}</p>
      <p class="row">
        <CopyButton text={text} />
        {FORMATS.map((format) => (
          <button key={format.name} type="button" aria-label={words.download(format.name)} onClick={() => save(format, citation, feature)}>
            {format.name}
          </button>
        ))}
      </p>
    </>
  );
}

function save(format: Format, citation: Citation, feature: Feature): void {
  saveFile(new Blob([format.write(citation, feature)], { type: format.mediaType }), `${citation.key}.${format.ending}`);
}
