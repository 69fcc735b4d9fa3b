// The variables of a grid, and one of them as a series at a point.

import { useState } from "preact/hooks";
import type { Feature } from "../types.ts";
import { RowsProblem, RowsTable } from "./rowsTable.tsx";
import { type GridVariable, type Rows, useRows } from "./useRows.ts";
import type { RowsWords } from "./words/index.ts";

/** Values of a series, spread over the whole of it. */
const MANY = "200";
const EDGES = { longitude: [-180, 360], latitude: [-90, 90] } as const;
const AXES = ["longitude", "latitude"] as const;

type Place = Record<(typeof AXES)[number], string>;

interface Props {
  feature: Feature;
  header: Rows;
  words: RowsWords;
}

export function GridPanel({ feature, header, words }: Props) {
  const [variable, setVariable] = useState<string | null>(null);
  const [place, setPlace] = useState<Place | null>(null);
  const series = useRows(feature.id, variable === null ? null : { href: header.href, variable, limit: MANY, every: "0", ...place });
  const { found, problem, asking } = series;
  return (
    <>
      <p>{words.chooseVariable({ n: header.variables.length })}</p>
      <Variables variables={header.variables} chosen={variable} words={words} choose={setVariable} />
      {(place !== null || found?.point) && <PlaceForm point={found?.point ?? null} words={words} choose={setPlace} />}
      <p role="status">{asking ? words.asking : ""}</p>
      {problem && <RowsProblem problem={problem} words={words} again={series.again} />}
      {!problem && !asking && found && <Series key={JSON.stringify([variable, found.fixed])} found={found} name={variable} words={words} licence={feature.properties.license} />}
    </>
  );
}

function Variables({ variables, chosen, words, choose }: { variables: readonly GridVariable[]; chosen: string | null; words: RowsWords; choose: (name: string) => void }) {
  return (
    <div class="compared" tabIndex={0} role="region" aria-label={words.variables}>
      <table>
        <thead>
          <tr>
            {[words.variable, words.unit, words.shape].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...variables].sort(byDimensions).map(({ name, title, unit, dimensions }) => (
            <tr key={name}>
              <td>
                <button type="button" aria-pressed={name === chosen} onClick={() => choose(name)}>
                  {name}
                </button>{" "}
                {title}
              </td>
              <td>{unit}</td>
              <td>{dimensions.map((dimension) => `${dimension.name} ${dimension.size}`).join(" × ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Coordinates, which have one dimension, come last. */
function byDimensions(a: GridVariable, b: GridVariable): number {
  return b.dimensions.length - a.dimensions.length;
}

/** Both empty: the middle of the grid. */
function PlaceForm({ point, words, choose }: { point: Rows["point"]; words: RowsWords; choose: (place: Place | null) => void }) {
  const [place, setPlace] = useState<Place>({ longitude: "", latitude: "" });
  const isEmpty = AXES.every((axis) => place[axis] === "");
  const send = (event: Event) => {
    event.preventDefault();
    choose(isEmpty ? null : place);
  };
  return (
    <form class="row" onSubmit={send}>
      {AXES.map((axis) => (
        <label key={axis}>
          {words[axis]}{" "}
          <input type="number" step="any" required={!isEmpty} min={EDGES[axis][0]} max={EDGES[axis][1]} placeholder={point ? String(point[axis]) : ""} value={place[axis]} onInput={(event) => setPlace({ ...place, [axis]: event.currentTarget.value })} />
        </label>
      ))}
      <button type="submit">{words.readThere}</button>
    </form>
  );
}

function Series({ found, name, words, licence }: { found: Rows; name: string | null; words: RowsWords; licence: string | undefined }) {
  const fixed = Object.entries(found.fixed);
  const steps = found.variables.find((one) => one.name === name)?.dimensions.find((dimension) => isColumn(found.columns[0], dimension.name))?.size ?? 0;
  const isEmpty = found.rows.every((row) => (row.at(-1) ?? "") === "");
  return (
    <>
      <p class="facts">
        {steps > found.rows.length && <span>{words.steps({ drawn: found.rows.length, steps })}</span>}
        {fixed.map(([dimension, value]) => (
          <span key={dimension}>{`${dimension}: ${value}`}</span>
        ))}
      </p>
      {isEmpty && <p class="note">{words.noValues}</p>}
      <RowsTable found={found} words={words} licence={licence} />
    </>
  );
}

/** A column is called as its dimension, with the unit behind it. */
function isColumn(column: string | undefined, dimension: string): boolean {
  return column === dimension || (column ?? "").startsWith(`${dimension} (`);
}
