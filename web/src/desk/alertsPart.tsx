// Whether the answers became worse (judged questions, measured each night), and whether saved searches speak.

import { getIfThere } from "../api.ts";
import { useEffect, useState } from "preact/hooks";
import type { InsightAlerts } from "../openapi.ts";
import { useKey } from "../session.ts";
import { momentText } from "../times.ts";
import type { Described } from "../types.ts";
import { useLocale } from "../words/index.ts";
import { type DeskWords, useDesk } from "./words/index.ts";

export interface Measurement {
  at: string;
  questions: number;
  ndcg_at_10: number;
  recall_at_100: number;
  /** How far nDCG@10 is below the median of the seven before. */
  fall: number;
  /** Which judgements; only equal ones are compared. */
  judged: string;
  model: string;
}

/** As `sonde evaluate --live` has it by default. */
const TOO_FAR = 0.02;

type Speaking = Described<
  InsightAlerts,
  {
    round: { since: string; until: string; done: boolean; searches: number; found: number; took_s: number } | null;
    deliveries: { channel: string; state: string; count: number }[];
  }
>;

const WIDTH = 720;
const HEIGHT = 120;
const LABELS = 18;

export function AlertsPart() {
  const words = useDesk();
  const measured = useOffered<{ measurements: Measurement[] }>("insight/measurements?limit=90");
  const speaking = useOffered<Speaking>("insight/alerts");
  return (
    <>
      <h2>{words.nav.alerts}</h2>
      <section aria-labelledby="measured">
        <h3 id="measured">{words.measured}</h3>
        <p>{words.measuredHelp}</p>
        {measured === "loading" && <p role="status">{words.loading}</p>}
        {measured !== "loading" && (measured?.measurements.length ?? 0) === 0 && <p class="soft">{words.notMeasured}</p>}
        {measured && measured !== "loading" && measured.measurements.length > 0 && <Measured measurements={measured.measurements} />}
      </section>
      {speaking && speaking !== "loading" && <Spoken said={speaking} />}
    </>
  );
}

export function hasFallen(measurement: Measurement | undefined): boolean {
  return (measurement?.fall ?? 0) > TOO_FAR;
}

function Measured({ measurements }: { measurements: readonly Measurement[] }) {
  const words = useDesk();
  const locale = useLocale();
  const number = (value: number) => value.toLocaleString(locale, { minimumFractionDigits: 3, maximumFractionDigits: 3 });
  const day = (at: string) => new Date(at).toLocaleDateString(locale, { day: "numeric", month: "short", timeZone: "UTC" });
  const last = measurements.at(-1);
  const first = measurements[0];
  if (!last || !first) return null;
  const x = (at: number) => (measurements.length === 1 ? WIDTH / 2 : (at / (measurements.length - 1)) * (WIDTH - 20) + 10);
  const y = (value: number) => HEIGHT - value * HEIGHT;
  return (
    <>
      {hasFallen(last) && (
        <p class="note wrong" role="alert">
          {words.fallen}
        </p>
      )}
      <svg class="time-chart" preserveAspectRatio="xMinYMid meet" role="img" aria-label={words.measuredChart({ n: measurements.length, last: last.ndcg_at_10 })} viewBox={`0 0 ${WIDTH} ${HEIGHT + LABELS}`}>
        {[0, 0.5, 1].map((value) => (
          <line key={value} x1="0" x2={WIDTH} y1={y(value)} y2={y(value)} />
        ))}
        {linesOf(measurements).map((line) => (
          <polyline key={line[0]} points={line.map((at) => `${x(at)},${y(measurements[at]?.ndcg_at_10 ?? 0)}`).join(" ")} />
        ))}
        {measurements.map((one, at) => (
          <circle key={one.at} class={hasFallen(one) ? "fallen" : undefined} cx={x(at)} cy={y(one.ndcg_at_10)} r="4">
            <title>{`${day(one.at)}: ${number(one.ndcg_at_10)}`}</title>
          </circle>
        ))}
        <text x="0" y={HEIGHT + LABELS - 4}>{day(first.at)}</text>
        {measurements.length > 1 && (
          <text x={WIDTH} y={HEIGHT + LABELS - 4} text-anchor="end">{day(last.at)}</text>
        )}
      </svg>
      <details>
        <summary>{words.asTable}</summary>
        <div class="scrolls" tabIndex={0} role="region" aria-label={words.measured}>
          <table>
            <thead>
              <tr>
                {[words.when, words.questionsWord, "nDCG@10", "R@100"].map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {[...measurements].reverse().map((one) => (
                <tr key={one.at} class={hasFallen(one) ? "fallen" : undefined}>
                  <th scope="row">{momentText(one.at, locale)}</th>
                  <td>{one.questions}</td>
                  <td>{number(one.ndcg_at_10)}</td>
                  <td>{number(one.recall_at_100)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

/** Positions; a new line begins where the judgements or the model changed. */
function linesOf(measurements: readonly Measurement[]): number[][] {
  const lines: number[][] = [];
  measurements.forEach((one, at) => {
    const before = measurements[at - 1];
    if (before?.judged === one.judged && before.model === one.model) lines.at(-1)?.push(at);
    else lines.push([at]);
  });
  return lines;
}

function Spoken({ said }: { said: Speaking }) {
  const words = useDesk();
  const locale = useLocale();
  return (
    <section aria-labelledby="speaking">
      <h3 id="speaking">{words.savedSearches}</h3>
      <p>{words.savedCount({ n: said.searches })}</p>
      {said.round && <p class="facts">{roundFacts(said.round, words, locale).map((fact) => <span key={fact}>{fact}</span>)}</p>}
      {said.deliveries.length > 0 && (
        <ul>
          {said.deliveries.map((one) => (
            <li key={`${one.channel} ${one.state}`}>
              {words.channels[one.channel] ?? one.channel}, {words.deliveryStates[one.state] ?? one.state}: {one.count.toLocaleString(locale)}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function roundFacts(round: NonNullable<Speaking["round"]>, words: DeskWords, locale: string): string[] {
  return [words.lastRound({ when: momentText(round.until, locale) }), words.roundSearches({ n: round.searches }), words.roundFound({ n: round.found })];
}

/** Null if the service does not have it, or the key may not see it. */
function useOffered<T>(address: string): T | null | "loading" {
  const key = useKey();
  const [said, setSaid] = useState<T | null | "loading">("loading");
  useEffect(() => {
    const stop = new AbortController();
    getIfThere<T>(address, stop.signal)
      .then(setSaid)
      .catch(() => stop.signal.aborted || setSaid(null));
    return () => stop.abort();
  }, [address, key]);
  return said;
}
