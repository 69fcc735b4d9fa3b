// The search: field, interpretation, hits, map, period and facets.

import { useEffect, useMemo } from "preact/hooks";
import { boxOf, searchOf } from "../address.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Start } from "../home/start.tsx";
import type { Answer } from "../types.ts";
import { useWords, type Words } from "../words/index.ts";
import { useNarrow } from "../shell/narrow.ts";
import { Chips } from "./chips.tsx";
import { Facets } from "./facets.tsx";
import { HitList } from "./hitList.tsx";
import { MapPanel } from "./mapPanel.tsx";
import { PeriodPanel } from "./periodPanel.tsx";
import { rememberHits } from "./recent.ts";
import { SearchForm } from "./searchForm.tsx";
import { useMarked } from "./useMarked.ts";
import { useSearch } from "./useSearch.ts";
import { setTitle } from "../portal.ts";

export function SearchView({ query }: { query: string }) {
  const words = useWords();
  const search = useMemo(() => searchOf(query), [query]);
  const state = useSearch(search);
  const marked = useMarked();
  const { found, phase } = state;
  const read = found?.answer["sonde:interpretation"] ?? null;
  const facets = found?.answer["sonde:facets"] ?? {};

  useEffect(() => {
    setTitle(search.get("q") ?? undefined);
  }, [search]);
  useEffect(() => rememberHits(query, found?.features ?? []), [query, found]);

  const narrow = useNarrow();
  const filter = useMemo(() => boxOf(search), [search]); // the same object until the address changes, because the map depends on its identity
  const features = found?.features ?? NOTHING;
  const hits = (
    <main key="hits" id="main" tabIndex={-1} class={phase === "loading" && found ? "hits stale" : "hits"}>
      <h1 class="unseen">{words.results(search.get("q") ?? "")}</h1>
      <p role="status" class="state">
        {phase === "loading" ? words.loading : found ? `${countText(found.answer, words)} ${words.took(found.tookMs)}` : ""}
      </p>
      {phase === "loading" && !found && <div class="waiting" aria-hidden="true" />}
      {state.problem && <ProblemNote problem={state.problem} again={found ? state.more : state.again} />}
      {found && <HitList search={search} state={state} found={found} marked={marked} />}
    </main>
  );
  const side = (
    <aside key="side" class="side" aria-label={words.refine}>
      <MapPanel search={search} features={features} areas={read?.areas ?? NOTHING} filter={filter} marked={marked} />
      <details class="narrow" open={!narrow}>
        <summary>{words.refine}</summary>
        <PeriodPanel search={search} features={features} decades={facets["decade"] ?? null} years={facets["year"] ?? null} />
        <Facets search={search} facets={facets} />
      </details>
    </aside>
  );
  return (
    <div class={phase === "start" ? "start" : "search-view"}>
      <SearchForm search={search} />
      {phase === "start" ? (
        <Start search={search} />
      ) : (
        <>
          <Chips search={search} read={read} waiting={phase === "loading"} />
          <div class="columns" aria-busy={phase === "loading"}>
            {narrow ? [side, hits] : [hits, side]}
          </div>
        </>
      )}
    </div>
  );
}

function countText(answer: Answer, words: Words): string {
  const total = answer["sonde:total"] ?? answer.numberMatched;
  return total > answer.numberMatched ? words.best(answer.numberMatched, total, answer["sonde:totalRelation"] ?? "about") : words.hits(total);
}

const NOTHING: never[] = [];
