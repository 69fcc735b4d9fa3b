// Why a hit is there, in one plain sentence: "Covers all of Southern Africa, since 1981, 5.6 km".

import { marks } from "../safe.ts";
import { lengthText } from "../sizes.ts";
import type { Feature, Reason } from "../types.ts";
import type { Words } from "../words/index.ts";
import { intervalText, yearOrDay } from "./intervalText.ts";

const ALL = 0.995;
const MOST_WORDS = 3;

/** What the hit is for the asked place, or else for the asked words; then its period and its resolution. Empty if nothing is known. */
export function becauseText(feature: Feature, words: Words, locale: string): string {
  const metres = feature.properties["sonde:resolution"]?.metres;
  const parts = [
    placeText(feature, words) ?? subjectText(feature, words),
    periodText(feature, words, locale),
    metres === undefined ? undefined : lengthText(metres, locale, 2),
  ];
  const said = parts.filter(Boolean).join(", ");
  return said.charAt(0).toLocaleUpperCase(locale) + said.slice(1);
}

/** Undefined if no place was asked for, and if the record names none. */
function placeText(feature: Feature, words: Words): string | undefined {
  const reasons = reasonsOf(feature, "spatial");
  const covers = best(reasons);
  if (covers) {
    const share = covers.share ?? 0;
    return share >= ALL ? words.because.coversAll(placeOf(covers)) : words.because.covers({ ...placeOf(covers), percent: Math.max(1, Math.floor(share * 100)) });
  }
  const inside = reasons.find(({ code }) => code === "inside_place");
  if (inside) return words.because.inside(placeOf(inside));
  const outside = reasons.find(({ code }) => code === "outside_place");
  return outside && words.because.outside(placeOf(outside));
}

/** An area may have no name, or words of the question that describe it; of an ocean it is a box. */
export function placeOf({ place, described, rough }: Reason): { place: string; named: string } {
  const kind = described ? "described" : rough ? "box" : "yes";
  return { place: place ?? "", named: place == null ? "no" : kind };
}

/** Of several asked boxes, that of which the record covers most. */
function best(reasons: readonly Reason[]): Reason | undefined {
  const covering = reasons.filter(({ code }) => code === "covers_place");
  return covering.sort((a, b) => (b.share ?? 0) - (a.share ?? 0))[0];
}

function subjectText(feature: Feature, words: Words): string | undefined {
  const inTitle = found(feature, "title");
  if (inTitle) return words.because.inTitle({ found: inTitle });
  const inText = found(feature, "abstract");
  if (inText) return words.because.inText({ found: inText });
  return reasonsOf(feature, "dense").some(({ code }) => code === "cosine") ? words.because.meaning : undefined;
}

/** The asked words in a field of the record as it writes them; empty without any. */
function found(feature: Feature, field: string): string {
  const marked = (feature["sonde:highlights"]?.[field] ?? []).flatMap(marks).filter((one) => one.marked);
  return [...new Set(marked.map(({ text }) => text.toLowerCase()))].slice(0, MOST_WORDS).join(", ");
}

function periodText(feature: Feature, words: Words, locale: string): string | undefined {
  const text = intervalText(feature, words, locale);
  const open = text?.endsWith(` ${words.to} ${words.today}`);
  const period = text && open ? words.since(yearOrDay(text.slice(0, -` ${words.to} ${words.today}`.length))) : text;
  const outside = reasonsOf(feature, "temporal").some(({ code }) => code === "outside_period");
  return period && outside ? words.because.outsidePeriod({ period }) : period;
}

function reasonsOf(feature: Feature, signal: string): readonly Reason[] {
  return feature["sonde:explanation"]?.signals.find((one) => one.signal === signal)?.reasons ?? [];
}
