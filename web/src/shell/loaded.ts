// The JSON of an address, loaded again when the address, the user or the attempt changes.

import { useCallback, useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";

export interface Loaded<T> {
  said: T | null;
  problem: Problem | null;
  loading: boolean;
  again(): void;
}

/** Loads an address; null loads nothing. The old answer stays during a reload. */
export function useLoaded<T>(address: string | null, known: string | null): Loaded<T> {
  const [state, setState] = useState<Pick<Loaded<T>, "said" | "problem" | "loading">>({ said: null, problem: null, loading: true });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (address === null) {
      setState({ said: null, problem: null, loading: false });
      return undefined;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, loading: true }));
    getJson<T>(address, stop.signal)
      .then((said) => setState({ said, problem: null, loading: false }))
      .catch((error: unknown) => {
        if (!isAbort(error)) setState({ said: null, problem: asProblem(error), loading: false });
      });
    return () => stop.abort();
  }, [address, known, attempt]);
  return { ...state, again: useCallback(() => setAttempt((n) => n + 1), []) };
}
