// Rows of a table with a plot of a column, and from where they are.

import { useState } from "preact/hooks";
import type { Problem } from "../api.ts";
import { Outside } from "../shell/outside.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { useLocale, useWords } from "../words/index.ts";
import { axesOf, type Point, stretchesOf } from "./plot.ts";
import type { Rows } from "./useRows.ts";
import type { RowsWords } from "./words/index.ts";

const SHOWN = 10;
const [WIDTH, HEIGHT, EDGE] = [640, 180, 22];

/** What the provider did, where it is the provider that failed; else what was wrong with the request. */
export function RowsProblem({ problem, words, again }: { problem: Problem; words: RowsWords; again: () => void }) {
  const page = useWords();
  if (problem.status !== 503 || !problem.explained) return <ProblemNote problem={problem} again={again} />;
  return (
    <section class="note wrong" role="alert">
      <p>{words.providerFailed}</p>
      <p class="said" lang="en">{problem.message}</p>
      <button type="button" onClick={again}>
        {page.again}
      </button>
    </section>
  );
}

/** The first rows, and one of their columns drawn. */
export function RowsTable({ found, words, licence }: { found: Rows; words: RowsWords; licence: string | undefined }) {
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
          <Plot stretches={stretchesOf(rows, axes, column)} isTime={axes.isTime} title={words.plotOf({ column: columns[column] ?? "", along })} />
        </>
      )}
      <div class="compared cells" tabIndex={0} role="region" aria-label={words.firstRows}>
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

/** A single value between gaps is a dot. */
function Plot({ stretches, isTime, title }: { stretches: readonly Point[][]; isTime: boolean; title: string }) {
  const locale = useLocale();
  const points = stretches.flat();
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
      {stretches.map((stretch) => (
        <polyline key={stretch[0]?.x} class={stretch.length === 1 ? "dot" : undefined} points={[...stretch, ...stretch.slice(0, stretch.length === 1 ? 1 : 0)].map(at).join(" ")} />
      ))}
      <line x1="0" x2={WIDTH} y1={HEIGHT + EDGE} y2={HEIGHT + EDGE} />
      <text x="0" y={below}>{`${number.format(low)} · ${name(first.x)}`}</text>
      <text x={WIDTH} y={below} text-anchor="end">{name(last.x)}</text>
    </svg>
  );
}
