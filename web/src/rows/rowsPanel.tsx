// A look into the data of a record: the first rows of its tables, or the variables of a grid.

import { useState } from "preact/hooks";
import type { Feature } from "../types.ts";
import { useLocale } from "../words/index.ts";
import { GridPanel } from "./gridPanel.tsx";
import { LinkSelect } from "./linkSelect.tsx";
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
      {found && <LinkSelect label={words.table} hrefs={found.tables} chosen={href ?? found.href} choose={setHref} />}
      {problem && <RowsProblem problem={problem} words={words} again={again} />}
      {!problem && !found && <p role="status">{words.asking}</p>}
      {!problem && found && (found.variables.length > 0 ? <GridPanel key={found.href} feature={feature} header={found} words={words} /> : <RowsTable key={found.href} found={found} words={words} licence={feature.properties.license} />)}
    </div>
  );
}
