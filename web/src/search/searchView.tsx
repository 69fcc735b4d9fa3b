// The search: field, interpretation, hits, map, period and facets.

import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { boxOf, searchOf } from "../address.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Start } from "../home/start.tsx";
import type { Answer, Box, Interpretation } from "../types.ts";
import { useWords, type Words } from "../words/index.ts";
import { rounded } from "../words/numbers.ts";
import { type Columns, useColumns } from "../shell/columns.ts";
import { Chips } from "./chips.tsx";
import { Detail } from "./detail.tsx";
import { HitList } from "./hitList.tsx";
import { ListTools, type Part, useCompact } from "./listTools.tsx";
import { rememberHits } from "./recent.ts";
import { SearchForm } from "./searchForm.tsx";
import { Beside, Filters, Seen, Sheet, type SideProps } from "./side.tsx";
import { useMarked } from "./useMarked.ts";
import { setTyped, settle } from "./typing.ts";
import { type Found, type Search, useSearch } from "./useSearch.ts";
import { setTitle } from "../portal.ts";
import { BESIDE } from "../shell/place.ts";
import { SkipTo } from "../shell/skipTo.tsx";

export function SearchView({ query }: { query: string }) {
  const words = useWords();
  const asked = searchOf(query).toString();
  const search = useMemo(() => new URLSearchParams(asked), [asked]);
  const beside = new URLSearchParams(query).get(BESIDE);
  const state = useSearch(search);
  const columns = useColumns();
  const narrow = columns === "one";
  const [part, setPart] = useState<Part | null>(null); // on a narrow screen the hits come first
  const marked = useMarked((opens) => setPart(opens ? "map" : null));
  const [compact, setCompact] = useCompact();
  const { found, phase } = state;
  const typing = phase === "typing" || phase === "words";
  const read = found?.answer["sonde:interpretation"] ?? null;
  const whole = useRef(found); // map, period and facets wait for the whole search: they would only run to and fro
  if (!typing) whole.current = found;

  useEffect(() => {
    setTitle(search.get("q") ?? undefined);
  }, [search]);
  useEffect(() => rememberHits(query, found?.features ?? []), [query, found]);

  const filter = useMemo(() => boxOf(search), [search]); // the same object until the address changes, because the map depends on its identity
  const tools = <ListTools key="tools" search={search} found={found} open={narrow ? setPart : null} compact={compact} setCompact={setCompact} />;
  const side: SideProps = {
    search,
    marked,
    filter,
    typing,
    waiting: phase === "loading" && !found,
    features: whole.current?.features ?? NOTHING,
    areas: whole.current?.answer["sonde:interpretation"]?.areas ?? NOTHING,
    centre: centreOf(whole.current?.answer["sonde:interpretation"]),
    facets: whole.current?.answer["sonde:facets"] ?? NO_FACETS,
  };
  const q = search.get("q");
  const hits = (
    <main key="hits" id="main" tabIndex={-1} class={found && (phase === "loading" || phase === "typing") ? "hits stale" : "hits"}>
      <h1 class="unseen">{q ? words.resultsFor({ q }) : words.results}</h1>
      <div class="list-head">
        <p role="status" aria-live={typing ? "off" : "polite"} class="state">
          {phase === "loading" ? words.loading : found ? stateText(found, phase, words) : ""}
        </p>
        {!narrow && tools}
      </div>
      {columns === "three" && <SkipTo id="side-map" name={words.skipMap} />}
      {phase === "loading" && !found && <div class="waiting" aria-hidden="true" />}
      {state.problem && <ProblemNote problem={state.problem} again={found ? state.more : state.again} />}
      {found && <HitList search={search} state={state} found={found} marked={marked} open={beside} compact={compact} />}
    </main>
  );
  const detail = beside === null ? null : <Detail key="detail" id={beside} modal={columns !== "three"} />;
  const sheet = part && <Sheet key="sheet" {...side} part={part} hits={found?.answer["sonde:total"] ?? found?.answer.numberMatched ?? 0} close={() => setPart(null)} />;
  return (
    <div class={phase === "start" ? "start" : "search-view"}>
      <SearchForm search={search} onAsked={() => (phase === "done" ? settle() : askNow(state))} hits={found !== null} />
      {phase === "start" ? (
        <Start search={search} />
      ) : (
        <>
          <Chips search={search} read={read} waiting={phase === "loading"} />
          <div class={`columns ${columns}`} aria-busy={phase === "loading" || typing}>
            {arranged(columns, { tools, side, sheet, hits, detail })}
          </div>
        </>
      )}
    </div>
  );
}

interface Arranged {
  tools: VNode;
  side: SideProps;
  sheet: VNode | null;
  hits: VNode;
  detail: VNode | null;
}

/** One list with keys, so that what a reader opened in the hits stays open when the columns change. */
function arranged(columns: Columns, { tools, side, sheet, hits, detail }: Arranged): (VNode | null)[] {
  if (columns === "one") return [tools, hits, sheet, detail];
  if (columns === "two") return [<Beside key="side" {...side} />, hits, detail];
  return [<Filters key="filters" {...side} />, hits, <Seen key="seen" {...side} hidden={detail !== null} />, detail];
}

/** The whole search of what was typed, without waiting for more. */
function askNow(state: Search): void {
  setTyped(null);
  state.again();
}

function stateText({ answer }: Found, phase: Search["phase"], words: Words): string {
  return phase === "words" ? words.byWords({ n: answer["sonde:total"] ?? answer.numberMatched }) : countText(answer, words);
}

function countText(answer: Answer, words: Words): string {
  const total = answer["sonde:total"] ?? answer.numberMatched;
  // Copies of a data set are listed once, so a whole list may be shorter than the count.
  if (total <= LONGEST || answer.numberMatched < LONGEST) return words.hits({ n: total });
  const relation = answer["sonde:totalRelation"] ?? "about";
  return words.best({ all: rounded(total, relation), relation });
}

const LONGEST = 1000; // of a ranked list
const NOTHING: never[] = [];
const NO_FACETS = {};

/** The place of "within 100 km of it", if the question names one such place. */
function centreOf(read: Interpretation | null | undefined): Box | null {
  const [place, second] = read?.places ?? [];
  return place && !second && read?.relations[0]?.relation === "within_distance" ? place.bbox : null;
}
