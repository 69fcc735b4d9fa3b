// What a catalogue is, who publishes it, its size, area and period.

import { boxText } from "../boxes.ts";
import { edgeText } from "../times.ts";
import { LinkedText } from "../shell/linkedText.tsx";
import { useLocale, useWords } from "../words/index.ts";
import type { Catalogue } from "./catalogue.ts";

export function CatalogueFacts({ catalogue }: { catalogue: Catalogue }) {
  const words = useWords();
  const locale = useLocale();
  const [start, end] = catalogue.extent?.temporal?.interval[0] ?? [];
  const box = catalogue.extent?.spatial?.bbox[0];
  const since = edgeText(start, locale, false);
  const facts = [
    catalogue["sonde:publisher"],
    catalogue["sonde:count"] === undefined ? "" : words.hits({ n: catalogue["sonde:count"] }),
    since && `${since} ${words.to} ${edgeText(end, locale, true) ?? words.today}`,
    box && boxText(box, words, locale),
    catalogue.license,
    catalogue.updated && `${words.updated} ${edgeText(catalogue.updated, locale, false)}`,
  ];
  return (
    <>
      {isWritten(catalogue) && <p class="said"><LinkedText text={catalogue.description ?? ""} /></p>}
      <p class="facts">{facts.filter(Boolean).map((fact) => <span key={fact}>{fact}</span>)}</p>
    </>
  );
}

/** Without a description, the service says the number of records, which the facts say too. */
function isWritten(catalogue: Catalogue): boolean {
  return catalogue.description !== undefined && !/^\d+ records\b/.test(catalogue.description);
}
