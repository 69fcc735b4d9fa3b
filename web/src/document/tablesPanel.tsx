// The tables of a document, each to be saved as CSV.

import { useState } from "preact/hooks";
import { asProblem, type Problem, sent } from "../api.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { useWords } from "../words/index.ts";
import type { DocumentFeature, DocumentTable } from "./document.ts";

const CSV = "CSV";

export function TablesPanel({ found }: { found: DocumentFeature }) {
  const words = useWords().document;
  const [problem, setProblem] = useState<Problem | null>(null);
  const tables = found.properties["sonde:tables"] ?? [];
  if (tables.length === 0) return null;
  const save = async (one: DocumentTable) => {
    const response = await sent(`documents/${found.id}/tables/${one.number}?f=csv`, {});
    saveFile(await response.blob(), `table-${one.number}.csv`);
  };
  return (
    <section aria-labelledby="tables">
      <h2 id="tables">{words.tables}</h2>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
      <ul class="links">
        {tables.map((one) => (
          <li key={one.number}>
            {one.caption || words.table({ n: one.number })}{" "}
            <span class="soft small">
              {[
                one.page === undefined ? "" : words.onPage({ n: one.page }),
                words.size({ rows: one.rows, columns: one.columns }),
                one.confidence === undefined ? "" : words.sure({ percent: Math.round(one.confidence * 100) }),
              ]
                .filter(Boolean)
                .join(" · ")}
            </span>{" "}
            <button type="button" aria-label={words.saveTable({ n: one.number })} onClick={() => void save(one).catch((error: unknown) => setProblem(asProblem(error)))}>
              {CSV}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
