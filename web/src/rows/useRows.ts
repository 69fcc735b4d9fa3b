// The rows that a provider sends of a table or a grid of a record.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import { itemAddress } from "../record/useRecord.ts";

export interface GridVariable {
  name: string;
  /** Empty, as the unit, if the data set does not say it. */
  title: string;
  unit: string;
  dimensions: { name: string; size: number }[];
}

export interface Rows {
  href: string;
  columns: string[];
  rows: string[][];
  has_more: boolean;
  tables: string[];
  /** The header of a grid; empty for a table. */
  variables: GridVariable[];
  /** The cell of the grid that the rows are of. */
  point: { longitude: number; latitude: number } | null;
  /** The grid's dimensions that do not run, with their values. */
  fixed: Record<string, string>;
}

/** `query` null: asks nothing. The last rows stay while others are asked for. */
export function useRows(id: string, query: Record<string, string> | null): { found: Rows | null; problem: Problem | null; asking: boolean; again: () => void } {
  const [state, setState] = useState({ found: null as Rows | null, problem: null as Problem | null, asking: false });
  const [attempt, setAttempt] = useState(0);
  const text = query && new URLSearchParams(query).toString();
  useEffect(() => {
    if (text === null) return;
    const stop = new AbortController();
    setState(({ found }) => ({ found, problem: null, asking: true }));
    getJson<Rows>(itemAddress(id, `/rows?${text}`), stop.signal)
      .then((found) => setState({ found, problem: null, asking: false }))
      .catch((error: unknown) => !isAbort(error) && setState(({ found }) => ({ found, problem: asProblem(error), asking: false })));
    return () => stop.abort();
  }, [id, text, attempt]);
  return { ...state, again: () => setAttempt(attempt + 1) };
}
