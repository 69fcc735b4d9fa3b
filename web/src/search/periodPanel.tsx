// The period of the search: a histogram of the records' years, two sliders over it, and two number fields.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { changed, datetimeOf, yearsOf } from "../address.ts";
import { goSearch } from "../route.ts";
import { type Bin, binsOf, histogram, shownYears } from "../times.ts";
import type { Facet, Feature } from "../types.ts";
import { useWords, type Words } from "../words/index.ts";

interface Props {
  search: URLSearchParams;
  features: readonly Feature[];
  /** Decades counted over all matching records, if the service counts them. */
  decades: Facet | null;
  /** The same by year: shown when the period of the search is short. */
  years: Facet | null;
}

const SETTLED_MS = 300;

export function PeriodPanel({ search, features, decades, years }: Props) {
  const words = useWords();
  const asked = yearsOf(search);
  const now = new Date().getFullYear();
  const bins = useMemo(
    () => (decades?.values.length ? binsOf(decades, years, asked, now) : histogram(features, shownYears(features, asked, now))),
    [features, decades, years, search],
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
      <Histogram bins={bins} low={low} high={high} brushed={(begin, end) => slid(begin, end)} />
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
      <p class="soft small">{decades?.values.length ? words.periodFacet : words.periodHelp} {words.brushHelp}</p>
    </section>
  );
}

interface HistogramProps {
  bins: readonly Bin[];
  low: number;
  high: number;
  /** Years were chosen by dragging over their bars; the sliders do the same by keyboard. */
  brushed(from: number, to: number): void;
}

function Histogram({ bins, low, high, brushed }: HistogramProps) {
  const words = useWords();
  const list = useRef<HTMLOListElement>(null);
  const [brush, setBrush] = useState<[number, number] | null>(null); // the bars where it began and where it is
  const most = Math.max(1, ...bins.map((bin) => bin.count));
  const [begin, end] = brush ? [Math.min(...brush), Math.max(...brush)] : [0, -1];
  const [from, to] = brush ? [bins[begin]?.from ?? low, bins[end]?.to ?? high] : [low, high];

  function barAt(event: PointerEvent): number {
    const { left, width } = (list.current as HTMLOListElement).getBoundingClientRect();
    const share = (event.clientX - left) / Math.max(1, width);
    return clamp(Math.floor(share * bins.length), 0, bins.length - 1);
  }

  function press(event: PointerEvent): void {
    if (event.button !== 0) return;
    list.current?.setPointerCapture(event.pointerId);
    const bar = barAt(event);
    setBrush([bar, bar]);
  }

  function release(): void {
    if (brush) brushed(from, to);
    setBrush(null);
  }

  return (
    <ol
      class="histogram"
      ref={list}
      onPointerDown={press}
      onPointerMove={(event) => brush && setBrush([brush[0], barAt(event)])}
      onPointerUp={release}
      onPointerCancel={() => setBrush(null)}
    >
      {bins.map((bin) => (
        <li key={bin.from} class={bin.to >= from && bin.from <= to ? "in" : "out"} title={barText(bin, words)}>
          <span class="unseen">{barText(bin, words)}</span>
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

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function barText({ from, to, count: n }: Bin, words: Words): string {
  return from === to ? words.barYear({ from, n }) : words.bar({ from, to, n });
}
