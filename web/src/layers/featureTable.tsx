// What features say of themselves: the clicked one, and the first of all.

import type { Feature } from "geojson";
import type { LayerWords } from "./words/index.ts";

const MOST_ROWS = 50;
const MOST_COLUMNS = 12;
const LONGEST = 200;

interface Props {
  features: readonly Feature[];
  chosen: Feature | null;
  words: LayerWords;
  name: string;
}

export function FeatureTable({ features, chosen, words, name }: Props) {
  const columns = [...new Set(features.slice(0, MOST_ROWS).flatMap(({ properties }) => Object.keys(properties ?? {})))].slice(0, MOST_COLUMNS);
  if (columns.length === 0) return null;
  return (
    <>
      <div role="status">
        {chosen && (
          <dl class="feature-values small">
            {Object.entries(chosen.properties ?? {}).map(([key, value]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{textOf(value)}</dd>
              </div>
            ))}
          </dl>
        )}
      </div>
      <details>
        <summary>{words.valuesOf({ n: features.length })}</summary>
        <div class="compared" tabIndex={0} role="region" aria-label={words.valuesIn({ name })}>
          <table>
            <thead>
              <tr>
                {columns.map((column) => (
                  <th key={column} scope="col">{column}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {features.slice(0, MOST_ROWS).map(({ properties }, at) => (
                <tr key={at}>
                  {columns.map((column) => (
                    <td key={column}>{textOf(properties?.[column])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function textOf(value: unknown): string {
  const text = typeof value === "string" ? value : value === null || value === undefined ? "" : JSON.stringify(value);
  return text.slice(0, LONGEST);
}
