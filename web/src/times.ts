// Times of records as years, bins and text.

import type { Facet, Feature } from "./types.ts";

export interface Bin {
  from: number;
  to: number;
  count: number;
}

const EARLIEST_SHOWN = 1850;
const MOST_BINS = 36;
const STEPS = [1, 2, 5, 10, 20, 50, 100];

/** First and last year of each span of a record, open ends null; empty if it has none. */
export function spansOf(feature: Feature): [number | null, number | null][] {
  const said = feature.properties["sonde:times"] ?? (feature.time ? [feature.time.interval] : []);
  return said.map(([start, end]) => [yearOf(start), yearOf(end)]);
}

/** The year of an ISO instant, null for an open end. */
export function yearOf(instant: string | null | undefined): number | null {
  const found = /^([+-]?\d{4,})/.exec(instant ?? "");
  return found?.[1] ? Number(found[1]) : null;
}

/** The years of a histogram: those of the records and of the question, from 1850 on. */
export function shownYears(features: readonly Feature[], asked: readonly (number | null)[], now: number): [number, number] {
  const years = [...features.flatMap(spansOf).flat(), ...asked].filter((year) => year !== null);
  const first = Math.min(1980, ...years.map((year) => Math.max(year, EARLIEST_SHOWN)));
  const last = Math.max(now, ...years.map((year) => Math.min(year, 2150)));
  return [first, last];
}

/** The number of records in each range of years; a record with several spans counts once per range. */
export function histogram(features: readonly Feature[], [first, last]: [number, number]): Bin[] {
  const step = STEPS.find((one) => (last - first + 1) / one <= MOST_BINS) ?? 100;
  const start = Math.floor(first / step) * step;
  const spans = features.map(spansOf);
  const bins: Bin[] = [];
  for (let from = start; from <= last; from += step) {
    const to = from + step - 1;
    const reaches = ([a, b]: [number | null, number | null]) => (a ?? -Infinity) <= to && (b ?? Infinity) >= from;
    bins.push({ from, to, count: spans.filter((one) => one.some(reaches)).length });
  }
  return bins;
}

const SHORT_YEARS = 30;
const AROUND_YEARS = 5;

/**
 * The counts of all matches as bins, with empty ones between them: by year around a short period, else by decade.
 *
 * Earlier years are only in the number fields. `asked`: first and last year of the search.
 */
export function binsOf(decades: Facet, years: Facet | null, asked: readonly [number | null, number | null], now: number): Bin[] {
  const [from, to] = [asked[0], asked[1] ?? now];
  if (years?.values.length && from !== null && to >= from && to - from < SHORT_YEARS) {
    const counts = countsFrom(years);
    const reach = Array.from({ length: to - from + 1 + 2 * AROUND_YEARS }, (_, at) => from - AROUND_YEARS + at);
    return reach.map((year) => ({ from: year, to: year, count: counts.get(year) ?? 0 }));
  }
  const counts = countsFrom(decades);
  const bins: Bin[] = [];
  for (let first = Math.min(1950, ...counts.keys()); first <= now; first += 10) {
    bins.push({ from: first, to: Math.min(first + 9, now), count: counts.get(first) ?? 0 });
  }
  return bins;
}

/** Counts by the first year of each value. */
function countsFrom(facet: Facet): Map<number, number> {
  const found = facet.values.map((one): [number, number] => [Number(one.value.split("/")[0]), one.count]);
  return new Map(found.filter(([year]) => Number.isFinite(year)));
}

/** An instant as a day, a month or a year: a span that begins on 1 January shows only its year. */
export function edgeText(instant: string | null | undefined, locale: string, atEnd: boolean): string | null {
  const year = yearOf(instant);
  if (year === null || !instant) return null;
  const day = /^[+-]?\d{4,}-(\d\d)-(\d\d)/.exec(instant);
  const whole = atEnd ? "12-31" : "01-01";
  if (!day || `${day[1]}-${day[2]}` === whole || year < 1583 || year > 9999) return String(year);
  const date = new Date(Date.UTC(year, Number(day[1]) - 1, Number(day[2])));
  return new Intl.DateTimeFormat(locale, { year: "numeric", month: "short", day: "numeric", timeZone: "UTC" }).format(date);
}

const UNITS: Record<string, string> = { Y: "year", M: "month", W: "week", D: "day", TH: "hour", TM: "minute", TS: "second" };

/** An ISO 8601 duration of one unit as text (`P5D`: 5 days); others are unchanged. */
export function durationText(duration: string, locale: string): string {
  const [, inDay, count, letter] = /^P(T?)(\d+(?:\.\d+)?)([YMWDHS])$/.exec(duration) ?? [];
  const unit = UNITS[`${inDay}${letter}`];
  if (!unit || !count) return duration;
  return new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "long" }).format(Number(count));
}

/** A moment as day and time in the local time zone. */
export function momentText(instant: string, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(new Date(instant));
}

/** Milliseconds as seconds or minutes. */
export function durationOf(ms: number, locale: string): string {
  const [unit, size] = ms >= 120_000 ? (["minute", 60_000] as const) : (["second", 1000] as const);
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(ms / size);
}
