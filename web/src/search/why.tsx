// The reasons for a hit: one sentence; opened, a bar for each signal and what it counts.

import type { Feature, Signal } from "../types.ts";
import { useLocale, useWords, type Words } from "../words/index.ts";
import { becauseText } from "./because.ts";
import { reasonText } from "./reasons.ts";

/** The signals of the API by their label; the first that was measured is drawn. */
const SHOWN: readonly [name: string, signals: readonly string[]][] = [
  ["words", ["bm25", "passage_bm25"]],
  ["names", ["names"]],
  ["meaning", ["dense", "passage_dense"]],
  ["place", ["spatial"]],
  ["time", ["temporal"]],
];
const NAMES: Record<string, string> = {
  bm25: "words", passage_bm25: "words", dense: "meaning", passage_dense: "meaning", spatial: "place",
  temporal: "time", cross_encoder: "reading", late_interaction: "context", resolution: "scale", kind: "kind", names: "names", usage: "usage",
  companion: "kind", source_boost: "source",
};

export function Why({ feature }: { feature: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const because = becauseText(feature, words, locale);
  const { signals = [], conditions = [] } = feature["sonde:explanation"] ?? {};
  if (signals.length === 0) return because ? <p class="why because">{because}</p> : null;
  return (
    <details class="why">
      <summary>
        <span class="unseen">{words.why}: </span>
        <span class="because">{because || words.why}</span> <span class="ask-why" aria-hidden="true">{words.whyShort}</span>
      </summary>
      <Bars signals={signals} leftOut={conditions.map(({ subject }) => subject)} score={feature["sonde:score"]} />
    </details>
  );
}

function Bars({ signals, leftOut, score }: { signals: readonly Signal[]; leftOut: readonly string[]; score: number | undefined }) {
  const words = useWords();
  const locale = useLocale();
  const drawn = SHOWN.map(([name, own]) => [name, bestOf(signals, own)] as const).filter(([, one]) => one !== null);
  return (
    <>
      <div class="bars">
        {drawn.map(([name, one]) => (
          <Bar key={name} name={name} signal={one as Signal} />
        ))}
      </div>
      <dl>
        {signals.map((one) => (
          <div key={one.signal}>
            <dt>{words.signals[NAMES[one.signal] ?? ""] ?? one.signal}</dt>
            <dd>{signalText(one, words, locale)}</dd>
          </div>
        ))}
        {leftOut.length > 0 && (
          <div>
            <dt>{words.leftOut}</dt>
            <dd>{words.notAbout({ subjects: leftOut.join(", ") })}</dd>
          </div>
        )}
      </dl>
      <details class="numbers">
        <summary>{words.numbers}</summary>
        <dl>
          {signals.map((one) => (
            <div key={one.signal}>
              <dt>{words.signals[NAMES[one.signal] ?? ""] ?? one.signal}</dt>
              <dd>{words.counts} {decimalText(one.contribution, 2, locale)}</dd>
            </div>
          ))}
          {score !== undefined && (
            <div>
              <dt>{words.score}</dt>
              <dd>{decimalText(score, 3, locale)}</dd>
            </div>
          )}
        </dl>
      </details>
    </>
  );
}

function Bar({ name, signal }: { name: string; signal: Signal }) {
  const words = useWords();
  const locale = useLocale();
  const shown = words.signals[name] ?? name;
  const percent = Math.round(Math.min(1, Math.max(0, signal.normalised)) * 100);
  const silent = signal.raw === null;
  return (
    <span class={`bar ${name}${silent ? " silent" : ""}`} title={signalText(signal, words, locale)}>
      <span aria-hidden="true">{shown}</span>
      <span class="track" aria-hidden="true">
        <span class="fill" style={{ width: silent ? "0" : `${percent}%` }} />
      </span>
      <span class="unseen">{silent ? words.notMeasured({ name: shown }) : words.percent({ name: shown, n: percent })}. </span>
    </span>
  );
}

function decimalText(value: number, digits: number, locale: string): string {
  return value.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** In the page's language if it knows the codes; else the service's text. */
function signalText(signal: Signal, words: Words, locale: string): string {
  const said = (signal.reasons ?? []).map((one) => reasonText(one, signal.signal, words, locale));
  return said.length > 0 && said.every((one) => one !== undefined) ? said.join("; ") : signal.reason;
}

function bestOf(signals: readonly Signal[], names: readonly string[]): Signal | null {
  const own = signals.filter((one) => names.includes(one.signal));
  return own.find((one) => one.raw !== null) ?? own[0] ?? null;
}
