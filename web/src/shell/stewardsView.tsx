// The views for stewards: their script, and for the desk its style sheet.

import type { Route } from "../route.ts";
import { LazyView } from "./lazyView.tsx";
import { styled } from "./styled.ts";

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
  const [views] = await Promise.all([import("../stewards.ts"), styled(STYLE)]);
  return views;
}
