// The catalogues that are searched: how many records each holds, where and when they lie, when they last changed.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getIfThere, isAbort, type Problem } from "../api.ts";
import { boxText } from "../boxes.ts";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { edgeText } from "../times.ts";
import type { Box } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";

interface Catalogue {
  id: string;
  title: string;
  updated?: string;
  "sonde:count"?: number;
  extent?: { spatial?: { bbox: Box[] }; temporal?: { interval: [string | null, string | null][] } };
}

type State = { said: Catalogue[] | null; problem: Problem | null; loading: boolean };

export function SourcesView() {
  const words = useWords();
  const [attempt, setAttempt] = useState(0);
  const { said, problem, loading } = useCatalogues(attempt);
  useEffect(() => {
    document.title = `${words.sourcesTitle} – Sonde`;
  }, [words]);
  return (
    <main id="main" tabIndex={-1} class="sources">
      <h1>{words.sourcesTitle}</h1>
      {loading && <p role="status">{words.loading}</p>}
      {problem && <ProblemNote problem={problem} again={() => setAttempt(attempt + 1)} />}
      {!loading && !problem && said === null && <p class="note">{words.sourcesMissing}</p>}
      <ul>
        {said
          ?.filter((one) => one.id !== "all")
          .map((one) => (
            <Source key={one.id} catalogue={one} />
          ))}
      </ul>
    </main>
  );
}

function Source({ catalogue }: { catalogue: Catalogue }) {
  const words = useWords();
  const locale = useLocale();
  const [start, end] = catalogue.extent?.temporal?.interval[0] ?? [];
  const box = catalogue.extent?.spatial?.bbox[0];
  const since = edgeText(start, locale, false);
  const facts = [
    catalogue["sonde:count"] === undefined ? "" : words.hits(catalogue["sonde:count"]),
    since && `${since} ${words.to} ${edgeText(end, locale, true) ?? words.today}`,
    box && boxText(box),
    catalogue.updated && `${words.updated} ${edgeText(catalogue.updated, locale, false)}`,
  ];
  return (
    <li>
      <h2>
        <Go to={`./?${new URLSearchParams({ source: catalogue.id })}`}>{catalogue.title}</Go>
      </h2>
      <p class="facts">{facts.filter(Boolean).map((fact) => <span key={fact}>{fact}</span>)}</p>
    </li>
  );
}

function useCatalogues(attempt: number): State {
  const [state, setState] = useState<State>({ said: null, problem: null, loading: true });
  useEffect(() => {
    const stop = new AbortController();
    setState({ said: null, problem: null, loading: true });
    getIfThere<{ collections: Catalogue[] }>("collections", stop.signal)
      .then((said) => setState({ said: said?.collections ?? null, problem: null, loading: false }))
      .catch((error: unknown) => {
        if (!isAbort(error)) setState({ said: null, problem: asProblem(error), loading: false });
      });
    return () => stop.abort();
  }, [attempt]);
  return state;
}
