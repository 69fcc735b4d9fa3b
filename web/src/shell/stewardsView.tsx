// The views for stewards: their script, and for the desk its style sheet.

import type { Route } from "../route.ts";
import { LazyView } from "./lazyView.tsx";

type OfStewards = Extract<Route, { view: "desk" | "sources" | "source" }>;

const STYLE = "page/desk.css";

export function StewardsView({ route }: { route: OfStewards }) {
  return (
    <LazyView load={loaded} class="sources">
      {({ DeskView, SourceView, SourcesView }) => {
        if (route.view === "desk") return <DeskView path={route.path} query={route.query} />;
        return route.view === "source" ? <SourceView key={route.id} id={route.id} /> : <SourcesView />;
      }}
    </LazyView>
  );
}

async function loaded() {
  const [views] = await Promise.all([import("../stewards.ts"), styled()]);
  return views;
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
