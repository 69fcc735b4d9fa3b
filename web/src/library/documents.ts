// Loads the list of the user's documents, and reloads it while a document is in progress.

import { useCallback, useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import type { DocumentBody, Library as ListedDocuments } from "../openapi.ts";
import type { Described, Link } from "../types.ts";

/** With the columns that the document leaves out; each is missing without a value. */
export type OwnDocument = Described<
  DocumentBody,
  { authors?: string[]; published?: string; bytes?: number; pages?: number; passages?: number; created?: string; links?: Link[] }
>;

export interface Asked {
  q: string;
  state: string;
  /** A column and a direction: `created desc`. */
  sort: string;
}

export const USUAL_SORT = "created desc";

export interface Library {
  documents: OwnDocument[];
  matched: number;
  quota: { bytes: number; used: number } | null;
}

type Said = Described<ListedDocuments, { documents: OwnDocument[] }>;

export interface Documents {
  library: Library | null;
  problem: Problem | null;
  loading: boolean;
  more(): void;
  again(): void;
}

const PAGE = 20;
const LOOK_AGAIN_MS = 2000;
export const ON_ITS_WAY: ReadonlySet<string> = new Set(["queued", "parsing", "embedding"]);

/** `known` identifies the user; another key starts again. */
export function useDocuments(asked: Asked, known: string | null): Documents {
  const [state, setState] = useState<Pick<Documents, "library" | "problem" | "loading">>(BEGUN);
  const [count, setCount] = useState(PAGE);
  const [attempt, setAttempt] = useState(0);
  const again = useCallback(() => setAttempt((n) => n + 1), []);
  useEffect(() => setState(BEGUN), [known]);
  useEffect(() => {
    const stop = new AbortController();
    listed(asked, count, stop.signal)
      .then((library) => setState({ library, problem: null, loading: false }))
      .catch((error: unknown) => {
        if (!isAbort(error)) setState((before) => ({ ...before, problem: asProblem(error), loading: false }));
      });
    return () => stop.abort();
  }, [asked.q, asked.state, asked.sort, known, count, attempt]);
  const waits = state.problem === null && state.library?.documents.some((one) => ON_ITS_WAY.has(one.state ?? ""));
  useEffect(() => {
    if (!waits) return undefined;
    const timer = setTimeout(again, LOOK_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [waits, state.library, again]);
  return { ...state, more: () => setCount(count + PAGE), again };
}

const BEGUN = { library: null, problem: null, loading: true };
const MOST = 100; // per call

async function listed(asked: Asked, count: number, signal: AbortSignal): Promise<Library> {
  const documents: OwnDocument[] = [];
  for (;;) {
    const query = new URLSearchParams({ limit: String(Math.min(MOST, count - documents.length)), offset: String(documents.length) });
    const [column = "", order = ""] = asked.sort.split(" ");
    query.set("sort", column);
    query.set("order", order);
    if (asked.q) query.set("q", asked.q);
    if (asked.state) query.set("state", asked.state);
    const said = await getJson<Said>(`library/documents?${query}`, signal);
    documents.push(...said.documents);
    if (said.documents.length === 0 || documents.length >= Math.min(count, said.numberMatched)) {
      const { bytes: used, most_bytes: bytes } = said.quota ?? {};
      const quota = bytes === undefined || used === undefined ? null : { bytes, used };
      return { documents, matched: said.numberMatched, quota };
    }
  }
}
