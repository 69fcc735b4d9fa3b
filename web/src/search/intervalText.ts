// A record's whole period in words.

import { edgeText } from "../times.ts";
import type { Feature } from "../types.ts";
import type { Words } from "../words/index.ts";

/** Undefined if the record has no time. */
export function intervalText(feature: Feature, words: Words, locale: string): string | undefined {
  const spans = feature.properties["sonde:times"] ?? []; // `time` has no years before 1
  const [start, end] = (spans.length === 1 ? spans[0] : feature.time?.interval) ?? [];
  const first = edgeText(start, locale, false);
  const last = edgeText(end, locale, true);
  if (first && last) return first === last ? first : `${first} ${words.to} ${last}`;
  if (first) return `${first} ${words.to} ${words.today}`;
  return last ? words.until(yearOrDay(last)) : undefined;
}

/** The arguments of `since` and `until`: "depuis 1990", but "depuis le 3 févr. 1990". */
export function yearOrDay(year: string): { year: string; precision: "day" | "year" } {
  return { year, precision: /\s/.test(year) ? "day" : "year" };
}
