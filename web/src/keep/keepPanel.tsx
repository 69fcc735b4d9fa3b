// What a reader can do with a list of hits: share its address, save it as a file, be told of what is new.

import { searchOf } from "../address.ts";
import { portal, SEARCH } from "../portal.ts";
import { SharePanel } from "../record/openingPanels.tsx";
import { useLocale, useWords } from "../words/index.ts";
import { ExportPart } from "./exportPart.tsx";
import { WatchPart } from "./watchPart.tsx";
import { useKeepWords } from "./words/index.ts";

/** Only the files of a list. */
export function Export({ search, hits }: { search: URLSearchParams; hits: number }) {
  const words = useKeepWords(useLocale());
  return words && <ExportPart search={search} hits={hits} words={words} />;
}

/** `hits`: how many can be paged. */
export function KeepPanel({ search, hits }: { search: URLSearchParams; hits: number }) {
  const page = useWords();
  const words = useKeepWords(useLocale());
  if (words === null) return <p role="status">{page.loading}</p>;
  const title = search.get("q") || portal.name;
  return (
    <>
      <section>
        <h2>{words.share}</h2>
        <SharePanel address={new URL(`${SEARCH}?${searchOf(search.toString())}`, document.baseURI).href} title={title} />
      </section>
      <ExportPart search={search} hits={hits} words={words} />
      {portal.saves.length > 0 && <WatchPart search={search} title={title} words={words} />}
    </>
  );
}
