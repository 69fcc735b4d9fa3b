// One search at a time: the newest question wins, and answers to older ones are dropped.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asked, askedAfter, askedTyped, asksNothing, cursorOf } from "../address.ts";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import { keepPlace, place } from "../shell/place.ts";
import type { Answer, Feature } from "../types.ts";
import { ASKED_AFTER_MS, isTyped, setTyped, settle, WHOLE_AFTER_MS } from "./typing.ts";

export interface Found {
  /** From the first page: interpretation, facets, total. */
  answer: Answer;
  features: Feature[];
  cursor: string | null;
  /** Another one for each new list, so that its hits are not moved around but drawn anew. */
  list: number;
}

export interface Search {
  /** `typing`: the first answer to a typed question is on its way; `words`: its answer by words only is there. */
  phase: "start" | "loading" | "typing" | "words" | "done" | "failed";
  /** The last answer; while `loading` or `typing`, the previous question's. */
  found: Found | null;
  problem: Problem | null;
  loadingMore: boolean;
  /** The whole search, while a reader uses its answer by words. */
  better: Found | null;
  more(): void;
  showBetter(): void;
  again(): void;
}

type State = Pick<Search, "phase" | "found" | "problem" | "loadingMore" | "better">;

/** The last answers by their search, so that going back shows them at once. */
const kept = new Map<string, Found>();
const MOST_KEPT = 8;

const START: State = { phase: "start", found: null, problem: null, loadingMore: false, better: null };

export function useSearch(search: URLSearchParams): Search {
  const key = search.toString();
  const [state, setState] = useState<State>(() => shownBefore(key) ?? (asksNothing(search) ? START : { ...START, phase: "loading" }));
  const [attempt, setAttempt] = useState(0);
  const running = useRef(new AbortController());

  useEffect(() => {
    const own = new AbortController();
    running.current = own;
    const before = shownBefore(key);
    if (!isTyped(search)) setTyped(null);
    if (asksNothing(search)) setState(START);
    else if (before) setState(before);
    else if (isTyped(search)) void whileTyped(search, own.signal, setState);
    else void first(search, own.signal, setState, place().shown ?? 0);
    return () => own.abort();
  }, [key, attempt]);

  useEffect(() => {
    if (state.found && state.phase === "done") keep(key, state.found);
  }, [state.found]);

  const more = useCallback(() => {
    if (state.found?.cursor) void next(search, state.found, running.current.signal, setState);
  }, [key, state.found]);

  const showBetter = () => setState((before) => ({ ...START, phase: "done", found: before.better }));
  return { ...state, more, showBetter, again: () => setAttempt((n) => n + 1) };
}

/** The result of this history entry; null if it is new, or its hits are no longer cached. */
function shownBefore(key: string): State | null {
  const { shown } = place();
  const found = kept.get(key);
  return shown && found && found.features.length >= shown ? { ...START, phase: "done", found } : null;
}

function keep(key: string, found: Found): void {
  keepPlace({ shown: found.features.length });
  kept.delete(key);
  kept.set(key, found);
  for (const oldest of kept.keys()) if (kept.size > MOST_KEPT) kept.delete(oldest);
}

type SetState = (change: (before: State) => State) => void;

/** Requests as many hits as were `shown` before. */
async function first(search: URLSearchParams, signal: AbortSignal, setState: SetState, shown: number): Promise<void> {
  setState((before) => ({ ...before, phase: "loading", problem: null }));
  try {
    let found = foundIn(await getJson<Answer>(asked(search), signal));
    while (found.cursor && found.features.length < shown) found = await longer(search, found, signal);
    setState(() => ({ ...START, phase: "done", found }));
  } catch (error) {
    if (!isAbort(error)) setState(() => ({ ...START, phase: "failed", problem: asProblem(error) }));
  }
}

/** By words at once, the whole search a moment later; the old hits stay until there are new ones. */
async function whileTyped(search: URLSearchParams, signal: AbortSignal, setState: SetState): Promise<void> {
  setState((before) => (before.phase === "start" ? before : { ...before, phase: "typing", problem: null }));
  try {
    const byWords = await getJson<Answer>(askedTyped(search, true), signal);
    if (byWords.features.length > 0) setState(() => ({ ...START, phase: "words", found: { ...foundIn(byWords), cursor: null } }));
    await pause(WHOLE_AFTER_MS, signal);
    const found = foundIn(await getJson<Answer>(askedTyped(search, false), signal));
    setState((before) => (before.phase === "words" && isInUse() ? { ...before, better: found } : { ...START, phase: "done", found }));
    await pause(ASKED_AFTER_MS, signal);
    settle();
  } catch (error) {
    if (!isAbort(error)) setState((before) => ({ ...before, phase: "failed", problem: asProblem(error) }));
  }
}

let lists = 0;

function foundIn(answer: Answer): Found {
  lists += 1;
  return { answer, features: answer.features, cursor: cursorOf(answer.links), list: lists };
}

/** Whether the pointer or the focus is on the hits: then they stay where they are. */
function isInUse(): boolean {
  return document.querySelector(".hit-list:hover, .hit-list:focus-within") !== null;
}

/** Throws the browser's AbortError if the signal comes first. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, stopped) => {
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      stopped(signal.reason);
    });
  });
}

async function next(search: URLSearchParams, found: Found, signal: AbortSignal, setState: SetState): Promise<void> {
  setState((before) => ({ ...before, loadingMore: true, problem: null }));
  try {
    const more = await longer(search, found, signal);
    setState((before) => ({ ...before, found: more, loadingMore: false }));
  } catch (error) {
    if (!isAbort(error)) setState((before) => ({ ...before, loadingMore: false, problem: asProblem(error) }));
  }
}

async function longer(search: URLSearchParams, found: Found, signal: AbortSignal): Promise<Found> {
  const answer = await getJson<Answer>(askedAfter(search, found.cursor ?? ""), signal);
  return { ...found, features: [...found.features, ...answer.features], cursor: cursorOf(answer.links) };
}
