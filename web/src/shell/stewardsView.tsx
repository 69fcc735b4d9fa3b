// The place of a view for stewards: loads their script, and for the desk its style sheet.

import { useEffect, useRef, useState } from "preact/hooks";
import { asProblem, type Problem } from "../api.ts";
import type { Route } from "../route.ts";
import { useWords } from "../words/index.ts";
import { ProblemNote } from "./problem.tsx";

type Views = typeof import("../stewards.ts");
type OfStewards = Extract<Route, { view: "desk" | "sources" | "source" }>;

const STYLE = "page/desk.css";

export function StewardsView({ route }: { route: OfStewards }) {
  const words = useWords();
  const [views, setViews] = useState<Views | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const waiting = useRef<HTMLElement>(null);
  const hadFocus = useRef(false);
  useEffect(() => {
    setProblem(null);
    Promise.all([import("../stewards.ts"), styled()])
      .then(([loaded]) => {
        hadFocus.current = document.activeElement === waiting.current;
        setViews(loaded);
      })
      .catch((error: unknown) => setProblem(asProblem(error)));
  }, [attempt]);
  useEffect(() => {
    if (views && hadFocus.current) document.getElementById("main")?.focus({ preventScroll: true });
  }, [views]);
  if (views) return <Loaded views={views} route={route} />;
  return (
    <main id="main" tabIndex={-1} ref={waiting} class="sources">
      {problem ? <ProblemNote problem={problem} again={() => setAttempt(attempt + 1)} /> : <p role="status">{words.loading}</p>}
    </main>
  );
}

function Loaded({ views: { DeskView, SourceView, SourcesView }, route }: { views: Views; route: OfStewards }) {
  if (route.view === "desk") return <DeskView path={route.path} query={route.query} />;
  return route.view === "source" ? <SourceView key={route.id} id={route.id} /> : <SourcesView />;
}

/** Resolves when the style sheet is there; without it the desk is plain, but works. */
function styled(): Promise<void> {
  if (document.querySelector(`link[href="${STYLE}"]`)) return Promise.resolve();
  return new Promise((resolve) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = STYLE;
    link.onload = link.onerror = () => resolve();
    document.head.append(link);
  });
}
