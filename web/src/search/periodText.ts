// The filter `datetime` in words.

import { edgeText } from "../times.ts";
import type { Words } from "../words/index.ts";
import { yearOrDay } from "./intervalText.ts";

/** `1990-01-01/..` as "since 1990"; other forms than years and days are unchanged. */
export function periodText(datetime: string, words: Words, locale: string): string {
  const [start = "", end = start] = datetime.split("/");
  const first = edge(start, locale, false);
  const last = edge(end, locale, true);
  if (first && last) return first === last ? first : `${first} ${words.to} ${last}`;
  if (first) return words.since(yearOrDay(first));
  return last ? words.until(yearOrDay(last)) : datetime;
}

function edge(text: string, locale: string, atEnd: boolean): string | null {
  if (text === "" || text === "..") return null;
  return /^\d{4}(-\d\d-\d\d.*)?$/.test(text) ? edgeText(text, locale, atEnd) : text;
}
