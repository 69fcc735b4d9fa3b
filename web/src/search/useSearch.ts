// One search at a time: the newest question wins, the answers to older ones are thrown away.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asked, askedAfter, asksNothing, cursorOf } from "../address.ts";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import type { Answer, Feature } from "../types.ts";

export interface Found {
  /** Of the first page: interpretation, facets, total. */
  answer: Answer;
  features: Feature[];
  cursor: string | null;
  tookMs: number;
}

export interface Search {
  phase: "start" | "loading" | "done" | "failed";
  /** The last answer; while `loading` that of the question before. */
  found: Found | null;
  problem: Problem | null;
  loadingMore: boolean;
  more(): void;
  again(): void;
}

type State = Pick<Search, "phase" | "found" | "problem" | "loadingMore">;

const START: State = { phase: "start", found: null, problem: null, loadingMore: false };

export function useSearch(search: URLSearchParams): Search {
  const key = search.toString();
  const [state, setState] = useState<State>(START);
  const [attempt, setAttempt] = useState(0);
  const running = useRef(new AbortController());

  useEffect(() => {
    const own = new AbortController();
    running.current = own;
    if (asksNothing(search)) setState(START);
    else void first(search, own.signal, setState);
    return () => own.abort();
  }, [key, attempt]);

  const more = useCallback(() => {
    if (state.found?.cursor) void next(search, state.found, running.current.signal, setState);
  }, [key, state.found]);

  return { ...state, more, again: () => setAttempt((n) => n + 1) };
}

type SetState = (change: (before: State) => State) => void;

async function first(search: URLSearchParams, signal: AbortSignal, setState: SetState): Promise<void> {
  setState((before) => ({ ...before, phase: "loading", problem: null }));
  const started = performance.now();
  try {
    const answer = await getJson<Answer>(asked(search), signal);
    const tookMs = performance.now() - started;
    const found = { answer, features: answer.features, cursor: cursorOf(answer.links), tookMs };
    setState(() => ({ phase: "done", found, problem: null, loadingMore: false }));
  } catch (error) {
    if (!isAbort(error)) setState(() => ({ ...START, phase: "failed", problem: asProblem(error) }));
  }
}

async function next(search: URLSearchParams, found: Found, signal: AbortSignal, setState: SetState): Promise<void> {
  setState((before) => ({ ...before, loadingMore: true, problem: null }));
  try {
    const answer = await getJson<Answer>(askedAfter(search, found.cursor ?? ""), signal);
    const features = [...found.features, ...answer.features];
    const longer = { ...found, features, cursor: cursorOf(answer.links) };
    setState((before) => ({ ...before, found: longer, loadingMore: false }));
  } catch (error) {
    if (!isAbort(error)) setState((before) => ({ ...before, loadingMore: false, problem: asProblem(error) }));
  }
}
