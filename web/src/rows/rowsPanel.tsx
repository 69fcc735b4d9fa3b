// A look into the data of a record: the first rows of its tables, and a plot of a column.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import { itemAddress } from "../record/useRecord.ts";
import { Outside } from "../shell/outside.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import type { Feature } from "../types.ts";
import { useLocale } from "../words/index.ts";
import { axesOf, type Point, pointsOf } from "./plot.ts";
import { type RowsWords, useRowsWords } from "./words/index.ts";

interface Rows {
  href: string;
  columns: string[];
  rows: string[][];
  has_more: boolean;
  tables: string[];
}

const MANY = 100;
const SHOWN = 10;
const [WIDTH, HEIGHT, EDGE] = [640, 180, 22];

export function RowsPanel({ feature }: { feature: Feature }) {
  const words = useRowsWords(useLocale());
  const [href, setHref] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const [found, setFound] = useState<Rows | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    const query = new URLSearchParams({ limit: String(MANY), ...(href !== null && { href }) });
    setProblem(null);
    getJson<Rows>(itemAddress(feature.id, `/rows?${query}`), stop.signal)
      .then(setFound)
      .catch((error: unknown) => !isAbort(error) && setProblem(asProblem(error)));
    return () => stop.abort();
  }, [feature.id, href, attempt]);
  if (words === null) return null;
  return (
    <div class="rows">
      {found && found.tables.length > 1 && (
        <label>
          {words.table}{" "}
          <select value={href ?? found.href} onChange={(event) => setHref(event.currentTarget.value)}>
            {found.tables.map((one) => (
              <option key={one} value={one}>
                {nameOf(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      {problem && <ProblemNote problem={problem} again={() => setAttempt(attempt + 1)} />}
      {!problem && !found && <p role="status">{words.asking}</p>}
      {!problem && found && <Table key={found.href} found={found} words={words} licence={feature.properties.license} />}
    </div>
  );
}

function Table({ found, words, licence }: { found: Rows; words: RowsWords; licence: string | undefined }) {
  const { href, columns, rows } = found;
  const axes = axesOf(rows, columns.length);
  const [column, setColumn] = useState(axes.numbers[0] ?? null);
  const along = axes.along === null ? "" : (columns[axes.along] ?? "");
  return (
    <>
      {column !== null && (
        <>
          <p>
            <label>
              {words.column}{" "}
              <select value={column} onChange={(event) => setColumn(Number(event.currentTarget.value))}>
                {axes.numbers.map((index) => (
                  <option key={index} value={index}>
                    {columns[index]}
                  </option>
                ))}
              </select>
            </label>
          </p>
          <Plot points={pointsOf(rows, axes, column)} isTime={axes.isTime} title={words.plotOf({ column: columns[column] ?? "", along })} />
        </>
      )}
      <div class="compared" tabIndex={0} role="region" aria-label={words.firstRows}>
        <table>
          <thead>
            <tr>
              {columns.map((name, index) => (
                <th key={index} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, SHOWN).map((row, at) => (
              <tr key={at}>
                {columns.map((_, index) => (
                  <td key={index}>{row[index]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="soft small breaks">
        {found.has_more || rows.length > SHOWN ? words.some({ shown: Math.min(SHOWN, rows.length), drawn: rows.length }) : words.all({ n: rows.length })} {words.from} <Outside href={href}>{href}</Outside>.{" "}
        {licence ? words.licence({ licence }) : words.noLicence}
      </p>
    </>
  );
}

function Plot({ points, isTime, title }: { points: readonly Point[]; isTime: boolean; title: string }) {
  const locale = useLocale();
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || points.length < 2) return null;
  const values = points.map(({ y }) => y);
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const at = ({ x, y }: Point) => `${(((x - first.x) / (last.x - first.x || 1)) * WIDTH).toFixed(1)},${(EDGE + (1 - (y - low) / (high - low || 1)) * HEIGHT).toFixed(1)}`;
  const number = new Intl.NumberFormat(locale, { maximumSignificantDigits: 5 });
  const name = (x: number) => (isTime ? new Date(x).toLocaleDateString(locale, { dateStyle: "medium", timeZone: "UTC" }) : number.format(x));
  const below = HEIGHT + 2 * EDGE - 4;
  return (
    <svg class="rows-plot" role="img" aria-label={`${title}: ${number.format(low)} – ${number.format(high)}`} viewBox={`0 0 ${WIDTH} ${HEIGHT + 2 * EDGE}`}>
      <text x="0" y={EDGE - 6}>{number.format(high)}</text>
      <polyline points={points.map(at).join(" ")} />
      <line x1="0" x2={WIDTH} y1={HEIGHT + EDGE} y2={HEIGHT + EDGE} />
      <text x="0" y={below}>{`${number.format(low)} · ${name(first.x)}`}</text>
      <text x={WIDTH} y={below} text-anchor="end">{name(last.x)}</text>
    </svg>
  );
}

/** The end of an address, which tells tables of a record apart. */
function nameOf(href: string): string {
  return href.split(/[?#]/)[0]?.split("/").filter(Boolean).at(-1) ?? href;
}
