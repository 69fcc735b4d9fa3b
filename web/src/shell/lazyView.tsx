// The place of a view whose script is loaded only when somebody opens it.

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "../api.ts";
import { useWords } from "../words/index.ts";
import { ProblemNote } from "./problem.tsx";

interface Props<T> {
  /** The same function each time. */
  load: () => Promise<T>;
  /** Of the element that waits. */
  class: string;
  children: (loaded: T) => ComponentChildren;
}

/** A part's module; null until it is there, and if it cannot be loaded. `load`: the same function each time; null while it is not wanted. */
export function useLoadedModule<T>(load: (() => Promise<T>) | null): T | null {
  const [loaded, setLoaded] = useState<{ of: T } | null>(null);
  useEffect(() => void load?.().then((of) => setLoaded({ of })).catch(() => undefined), [load]);
  return loaded?.of ?? null;
}

export function LazyView<T>({ load, class: className, children }: Props<T>) {
  const words = useWords();
  const [views, setViews] = useState<{ of: T } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const waiting = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    setProblem(null);
    load()
      .then((loaded) => {
        hadFocus.current = document.activeElement === waiting.current;
        setViews({ of: loaded });
      })
      .catch((error: unknown) => setProblem(asProblem(error)));
  }, [load, attempt]);
  useEffect(() => {
    if (views && hadFocus.current) document.getElementById("main")?.focus({ preventScroll: true });
  }, [views]);
  if (views) return <>{children(views.of)}</>;
  return (
    <main id="main" tabIndex={-1} ref={waiting} class={className}>
      {problem ? <ProblemNote problem={problem} again={() => setAttempt(attempt + 1)} /> : <p role="status">{words.loading}</p>}
    </main>
  );
}
