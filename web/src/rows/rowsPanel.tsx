// A look into the data of a record: the first rows of its tables, or the variables of a grid.

import { useState } from "preact/hooks";
import type { Feature } from "../types.ts";
import { useLocale } from "../words/index.ts";
import { GridPanel } from "./gridPanel.tsx";
import { RowsProblem, RowsTable } from "./rowsTable.tsx";
import { useRows } from "./useRows.ts";
import { useRowsWords } from "./words/index.ts";

const MANY = "100";

export function RowsPanel({ feature }: { feature: Feature }) {
  const words = useRowsWords(useLocale());
  const [href, setHref] = useState<string | null>(null);
  const { found, problem, again } = useRows(feature.id, { limit: MANY, ...(href !== null && { href }) });
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
      {problem && <RowsProblem problem={problem} words={words} again={again} />}
      {!problem && !found && <p role="status">{words.asking}</p>}
      {!problem && found && (found.variables.length > 0 ? <GridPanel key={found.href} feature={feature} header={found} words={words} /> : <RowsTable key={found.href} found={found} words={words} licence={feature.properties.license} />)}
    </div>
  );
}

/** The end of an address, which tells tables of a record apart. */
function nameOf(href: string): string {
  return href.split(/[?#]/)[0]?.split("/").filter(Boolean).at(-1) ?? href;
}
