// The tables of a document: each is shown where a reader opens it, and can be saved as CSV.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem, sent } from "../api.ts";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { useWords } from "../words/index.ts";
import { type DocumentFeature, type DocumentTable, documentAddress, pageAddress } from "./document.ts";

const CSV = "CSV";
const MOST_ROWS = 50;

interface Cells {
  header: string[][];
  body: string[][];
}

export function TablesPanel({ found }: { found: DocumentFeature }) {
  const words = useWords().document;
  if (!found.properties["sonde:tables"]?.length) return null;
  return (
    <section aria-labelledby="tables">
      <h2 id="tables">{words.tables}</h2>
      <TableList found={found} />
    </section>
  );
}

/** The tables of a document that is not on this page. */
export function TablesOf({ id }: { id: string }) {
  const { found, problem, again } = useFetched<DocumentFeature>(documentAddress(id));
  if (problem) return <ProblemNote problem={problem} again={again} />;
  return found && <TableList found={found} />;
}

function TableList({ found }: { found: DocumentFeature }) {
  const hasFile = found.links.some(({ rel, type }) => rel === "enclosure" && type === "application/pdf");
  return (
    <ul class="links tables">
      {(found.properties["sonde:tables"] ?? []).map((one) => (
        <TableItem key={one.number} document={found.id} table={one} hasFile={hasFile} />
      ))}
    </ul>
  );
}

function TableItem({ document, table, hasFile }: { document: string; table: DocumentTable; hasFile: boolean }) {
  const words = useWords().document;
  const [problem, setProblem] = useState<Problem | null>(null);
  const [open, setOpen] = useState(false);
  const { number, page, confidence } = table;
  const save = async () => {
    const response = await sent(`${documentAddress(document)}/tables/${number}?f=csv`, {});
    saveFile(await response.blob(), `table-${number}.csv`);
  };
  const size = [words.size({ rows: table.rows, columns: table.columns }), confidence === undefined ? "" : words.sure({ percent: Math.round(confidence * 100) })];
  return (
    <li>
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{table.caption || words.table({ n: number })}</summary>
        {open && <Table document={document} number={number} />}
      </details>
      <p class="soft small row">
        {page !== undefined && (hasFile ? <Go to={pageAddress(document, page)}>{words.onPage({ n: page })}</Go> : <span>{words.onPage({ n: page })}</span>)}
        <span>{size.filter(Boolean).join(" · ")}</span>
        <button type="button" aria-label={words.saveTable({ n: number })} onClick={() => void save().catch((error: unknown) => setProblem(asProblem(error)))}>
          {CSV}
        </button>
      </p>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
    </li>
  );
}

function Table({ document, number }: { document: string; number: number }) {
  const words = useWords();
  const { found, problem, again } = useFetched<Cells>(`${documentAddress(document)}/tables/${number}`);
  if (problem) return <ProblemNote problem={problem} again={again} />;
  if (!found) return <p role="status">{words.loading}</p>;
  const beyond = found.body.length - MOST_ROWS;
  return (
    <>
      <div class="compared cells" tabIndex={0} role="region" aria-label={words.document.table({ n: number })}>
        <table>
          <thead>
            {found.header.map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <th key={column} scope="col">
                    {cell}
                  </th>
                ))}
              </tr>
            ))}
          </thead>
          <tbody>
            {found.body.slice(0, MOST_ROWS).map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {beyond > 0 && <p class="soft small">{words.kin.more({ n: beyond })}</p>}
    </>
  );
}

function useFetched<T>(address: string): { found: T | null; problem: Problem | null; again: () => void } {
  const [state, setState] = useState<{ found: T | null; problem: Problem | null }>({ found: null, problem: null });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    setState({ found: null, problem: null });
    getJson<T>(address, stop.signal)
      .then((found) => setState({ found, problem: null }))
      .catch((error: unknown) => !isAbort(error) && setState({ found: null, problem: asProblem(error) }));
    return () => stop.abort();
  }, [address, attempt]);
  return { ...state, again: () => setAttempt(attempt + 1) };
}
