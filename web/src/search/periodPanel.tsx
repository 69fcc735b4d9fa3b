// The period of the search: a histogram of the records' years, two sliders over it, and two number fields.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { changed, datetimeOf, yearsOf } from "../address.ts";
import { goSearch } from "../route.ts";
import { type Bin, histogram, shownYears } from "../times.ts";
import type { Facet, Feature } from "../types.ts";
import { useWords } from "../words/index.ts";

interface Props {
  search: URLSearchParams;
  features: readonly Feature[];
  /** Decades counted over all matching records, if the service counts them. */
  decades: Facet | null;
}

const SETTLED_MS = 300;

export function PeriodPanel({ search, features, decades }: Props) {
  const words = useWords();
  const asked = yearsOf(search);
  const now = new Date().getFullYear();
  const bins = useMemo(
    () => (decades?.values.length ? binsOf(decades, now) : histogram(features, shownYears(features, asked, now))),
    [features, decades, search],
  );
  const [first, last] = [bins[0]?.from ?? 1980, bins.at(-1)?.to ?? now];
  const [from, setFrom] = useState(asked[0]);
  const [to, setTo] = useState(asked[1]);
  const waiting = useRef(0);
  useEffect(() => {
    setFrom(asked[0]);
    setTo(asked[1]);
  }, [search.get("datetime")]);

  function use(begin: number | null, end: number | null): void {
    goSearch(changed(search, "datetime", datetimeOf(begin, end)));
  }

  /** A slider at its end leaves that end open; several key presses become one search. */
  function slid(begin: number | null, end: number | null): void {
    clearTimeout(waiting.current);
    const ends = [begin === first ? null : begin, end === last ? null : end] as const;
    waiting.current = setTimeout(() => use(...ends), SETTLED_MS) as unknown as number;
  }

  const low = clamp(from ?? first, first, last);
  const high = clamp(to ?? last, first, last);
  return (
    <section class="panel period" aria-label={words.period}>
      <h2>{words.period}</h2>
      <Histogram bins={bins} low={low} high={high} />
      <div class="sliders">
        <input type="range" min={first} max={last} value={low} aria-label={words.firstYear}
          onInput={(event) => setFrom(Math.min(event.currentTarget.valueAsNumber, high))}
          onChange={(event) => slid(Math.min(event.currentTarget.valueAsNumber, high), to)} />
        <input type="range" min={first} max={last} value={high} aria-label={words.lastYear}
          onInput={(event) => setTo(Math.max(event.currentTarget.valueAsNumber, low))}
          onChange={(event) => slid(from, Math.max(event.currentTarget.valueAsNumber, low))} />
      </div>
      <form class="row years" onSubmit={(event) => { event.preventDefault(); use(from, to); }}>
        <Year label={words.firstYear} value={from} placeholder={first} set={setFrom} />
        <Year label={words.lastYear} value={to} placeholder={last} set={setTo} />
        <button type="submit">{words.search}</button>
        {search.has("datetime") && (
          <button type="button" class="plain" onClick={() => goSearch(changed(search, "datetime", null))}>
            {words.clearPeriod}
          </button>
        )}
      </form>
      <p class="soft small">{decades?.values.length ? words.periodFacet : words.periodHelp}</p>
    </section>
  );
}

function Histogram({ bins, low, high }: { bins: readonly Bin[]; low: number; high: number }) {
  const words = useWords();
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  return (
    <ol class="histogram">
      {bins.map((bin) => (
        <li key={bin.from} class={bin.to >= low && bin.from <= high ? "in" : "out"} title={words.bar(bin.from, bin.to, bin.count)}>
          <span class="unseen">{words.bar(bin.from, bin.to, bin.count)}</span>
          <span class="column" aria-hidden="true" style={{ height: `${(bin.count / most) * 100}%` }} />
        </li>
      ))}
    </ol>
  );
}

function Year(props: { label: string; value: number | null; placeholder: number; set: (year: number | null) => void }) {
  const read = (text: string) => props.set(text.trim() === "" || !Number.isInteger(Number(text)) ? null : Number(text));
  return (
    <label>
      <span>{props.label}</span>
      <input type="number" step="1" value={props.value ?? ""} placeholder={String(props.placeholder)} onInput={(event) => read(event.currentTarget.value)} />
    </label>
  );
}

/** The decades as bins, with empty ones between them; earlier years are only in the number fields. */
function binsOf(decades: Facet, now: number): Bin[] {
  const counts = new Map(decades.values.map((one) => [Number(one.value.split("/")[0]), one.count]));
  const starts = [...counts.keys()].filter(Number.isFinite);
  const bins: Bin[] = [];
  for (let from = Math.min(1950, ...starts); from <= now; from += 10) bins.push({ from, to: Math.min(from + 9, now), count: counts.get(from) ?? 0 });
  return bins;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
