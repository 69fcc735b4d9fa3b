// Why a hit has its rank, in the page's language: the service sends codes with their values.

import { lengthText } from "../sizes.ts";
import type { Reason } from "../types.ts";
import type { Words } from "../words/index.ts";
import { placeOf } from "./because.ts";

/** The arguments of the messages below `reasons`; each takes some of them. Choices are `yes` or `no`. */
export interface ReasonValues {
  signal: string;
  raw: number;
  counted: number;
  /** Whether the area has a name: `yes`, `described` by words of the question, `box` around it, or `no`. */
  named: string;
  place: string;
  /** Whether there are several asked areas. */
  several: string;
  number: number;
  of: number;
  /** Whether the share is below 1 %. */
  tiny: string;
  /** In whole percent. */
  share: string;
  /** Whether the ratio is better said as a factor. */
  larger: string;
  area_ratio: number;
  /** The ratio in percent. */
  percent: string;
  start: string;
  /** Whether the period has no end. */
  open: string;
  end: string;
  /** Whether the record states its resolution. */
  known: string;
  length: string;
  wanted: string;
  own: string;
  asked: string;
}

const LEAST_SHARE = 0.01;
const LEAST_FACTOR = 0.1;

/** Undefined for a code that the language has no sentence for. */
export function reasonText(reason: Reason, signal: string, words: Words, locale: string): string | undefined {
  const message = words.reasons[reason.code];
  return typeof message === "function" ? message(valuesOf(reason, signal, words, locale)) : message;
}

function valuesOf(reason: Reason, signal: string, words: Words, locale: string): ReasonValues {
  const share = reason.share ?? reason.raw ?? 0;
  const ratio = reason.area_ratio ?? 0;
  const percent = (part: number, digits?: number) => part.toLocaleString(locale, { style: "percent", ...(digits && { maximumSignificantDigits: digits }) });
  const kind = (name: unknown) => words.provenanceKinds[String(name)] ?? String(name);
  return {
    signal,
    raw: reason.raw ?? 0,
    counted: reason.counted ?? 0,
    ...placeOf(reason),
    several: choice(Boolean(reason.of)),
    number: reason.number ?? 0,
    of: reason.of ?? 0,
    tiny: choice(share < LEAST_SHARE),
    share: share < LEAST_SHARE ? percent(LEAST_SHARE, 1) : percent(share),
    larger: choice(ratio >= LEAST_FACTOR),
    area_ratio: ratio,
    percent: percent(ratio, 2),
    start: reason.start ?? "…",
    open: choice(reason.end == null),
    end: reason.end ?? "",
    known: choice(reason.own_m != null),
    length: reason.own_m == null ? "" : lengthText(reason.own_m, locale),
    wanted: [reason.asked_m == null ? "" : lengthText(reason.asked_m, locale), ...[reason.asked ?? []].flat()].filter(Boolean).join(", "),
    own: kind(reason.own),
    asked: kind(reason.asked),
  };
}

function choice(holds: boolean): string {
  return holds ? "yes" : "no";
}
