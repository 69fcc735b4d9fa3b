// The hits in order, a note if results are degraded, and a button for more.

import { unranked } from "../address.ts";
import { goSearch } from "../route.ts";
import { useWords } from "../words/index.ts";
import { Hit } from "./hit.tsx";
import { Reading } from "./reading.tsx";
import type { Marked } from "./useMarked.ts";
import type { Found, Search } from "./useSearch.ts";

interface Props {
  search: URLSearchParams;
  state: Search;
  found: Found;
  marked: Marked;
  /** The id of the record beside the list. */
  open: string | null;
  compact: boolean;
}

export function HitList({ search, state, found, marked, open, compact }: Props) {
  const words = useWords();
  const without = found.answer["sonde:degraded"] ?? [];
  const { answer } = found;
  const list = (answer["sonde:total"] ?? 0) > answer.numberMatched ? unranked(search, answer["sonde:interpretation"]?.thematic ?? "") : null;
  return (
    <>
      {without.length > 0 && (
        <p class={without.join() === "cross_encoder" ? "soft small" : "note degraded"}>{words.degraded({ names: without.map((name) => words.degradedNames[name] ?? name).join(", ") })}</p>
      )}
      {state.better && (
        <p class="note better row" role="status">
          {words.better}
          <button type="button" class="main-button" onClick={state.showBetter}>{words.showBetter}</button>
        </p>
      )}
      <Reading search={search} answer={answer} />
      {found.features.length === 0 && <Nothing search={search} />}
      <ol class={compact ? "hit-list compact" : "hit-list"} key={found.list}>
        {found.features.map((feature, index) => (
          <Hit key={feature.id} feature={feature} rank={index + 1} isMarked={marked.id === feature.id} isOpen={open === feature.id} marking={marked.marking} compact={compact} />
        ))}
      </ol>
      {found.cursor && (
        <p class="more">
          <button type="button" onClick={state.more} disabled={state.loadingMore}>
            {state.loadingMore ? words.loading : words.more}
          </button>
          <span>{words.moreLoaded({ shown: found.features.length, all: answer.numberMatched })}</span>
        </p>
      )}
      {list && (
        <p class="soft small">
          {words.rankedEnd({ n: answer.numberMatched })} <a href={list}>{search.has("q") ? words.unranked : words.unrankedAll}</a>
        </p>
      )}
    </>
  );
}

function Nothing({ search }: { search: URLSearchParams }) {
  const words = useWords();
  const q = search.get("q");
  const filtered = [...search.keys()].some((name) => !["q", "interpret", "spelling", "sortby"].includes(name));
  return (
    <section class="note">
      <h2>{words.none}</h2>
      <p>{filtered ? words.noneFilters : words.noneHelp}</p>
      {q && <p>{words.noneWords}</p>}
      {filtered && (
        <button type="button" onClick={() => goSearch(new URLSearchParams(q ? { q } : {}))}>
          {words.clearFilters}
        </button>
      )}
    </section>
  );
}
