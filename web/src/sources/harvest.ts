// The answers of /harvest, for stewards.

import { useCallback, useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem, sendJson } from "../api.ts";

export interface Run {
  id: string;
  source: string;
  state: string;
  silent: boolean;
  started: string;
  finished: string | null;
  full: boolean;
  message: string | null;
  counts: Record<string, number>;
}

export interface Refusal {
  origin: string;
  reason: string;
  kept?: boolean;
}

export interface WholeRun extends Run {
  refusals: Refusal[];
  failures: Refusal[];
  warnings: { kind: string; count: number; examples: string[] }[];
  took_ms: Record<string, number>;
}

export interface SourceState {
  id: string;
  title: string;
  type: string | null;
  configured: boolean;
  schedule: { cron: string | null; interval: string | null } | null;
  paused: boolean;
  pausedBy: "file" | "steward" | null;
  nextRun: string | null;
  lastRun: Run | null;
  trend: Run[];
  "sonde:degraded"?: string[];
}

export interface Overview {
  sources: SourceState[];
  "sonde:degraded": string[];
}

export interface Finding {
  what: string;
  count: number;
  examples: string[];
}

export interface Quality {
  records: number;
  completeness: number;
  spread: number[];
  missing: Finding[];
  repaired: Finding[];
  refused: Finding[];
  broken_links?: Finding[];
}

export function sourceCall(id: string, rest = ""): string {
  return `harvest/sources/${encodeURIComponent(id)}${rest}`;
}

export function startRun(id: string): Promise<{ run: string }> {
  return sendJson("POST", "harvest/runs", { source: id });
}

export function setPaused(id: string, paused: boolean): Promise<SourceState> {
  return sendJson("PATCH", sourceCall(id), { paused });
}

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
