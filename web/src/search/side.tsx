// What stands beside the hits: filters on the left, map and period on the right; with less room all of it in one column.

import { Drawer } from "../shell/drawer.tsx";
import { SkipTo } from "../shell/skipTo.tsx";
import type { Box, Facet, Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { Facets } from "./facets.tsx";
import type { Part } from "./listTools.tsx";
import { MapPanel } from "./mapPanel.tsx";
import { PeriodPanel } from "./periodPanel.tsx";
import type { Marked } from "./useMarked.ts";

export interface SideProps {
  search: URLSearchParams;
  features: readonly Feature[];
  areas: readonly Box[];
  centre: Box | null;
  filter: Box | null;
  facets: Record<string, Facet>;
  marked: Marked;
  /** A question is being typed. */
  typing: boolean;
  /** The first answer is on its way. */
  waiting: boolean;
}

/** The left of three columns. */
export function Filters(props: SideProps) {
  const words = useWords();
  return (
    <aside id="side-filters" class="side side-filters" aria-label={words.refine}>
      <SkipTo id="main" name={words.skip} />
      {props.waiting && <div class="waiting" aria-hidden="true" />}
      <Facets search={props.search} facets={props.facets} />
    </aside>
  );
}

/** The right of three columns. */
export function Seen({ hidden, ...props }: SideProps & { hidden: boolean }) {
  const words = useWords();
  return (
    <aside id="side-map" class="side side-map" tabIndex={-1} aria-label={words.mapAndPeriod} hidden={hidden}>
      <TheMap {...props} />
      <ThePeriod {...props} />
    </aside>
  );
}

/** All of it in the left of two columns. */
export function Beside(props: SideProps) {
  const words = useWords();
  return (
    <aside class="side" aria-label={words.refine}>
      <SkipTo id="main" name={words.skip} />
      <div id="side-map" class="side-map"><TheMap {...props} /></div>
      <div id="side-filters" class="side-filters"><TheFilters {...props} /></div>
    </aside>
  );
}

/** A part of it above the list of a narrow screen. `hits`: how many it leads back to. */
export function Sheet({ part, hits, close, ...props }: SideProps & { part: Part; hits: number; close: () => void }) {
  const words = useWords();
  return (
    <Drawer label={part === "map" ? words.map : words.filters} class="sheet" content={part} close={close}>
      <div class={`side side-${part}`}>{part === "map" ? <TheMap {...props} /> : <TheFilters {...props} />}</div>
      <p class="sheet-foot">
        <button type="button" class="main-button" onClick={close}>{words.showHits({ n: hits })}</button>
      </p>
    </Drawer>
  );
}

function TheFilters(props: SideProps) {
  return (
    <>
      <ThePeriod {...props} />
      <Facets search={props.search} facets={props.facets} />
    </>
  );
}

function TheMap({ search, features, areas, centre, filter, marked, typing }: SideProps) {
  return <MapPanel search={search} features={features} areas={areas} centre={centre} filter={filter} marked={marked} typing={typing} ranked />;
}

function ThePeriod({ search, features, facets }: SideProps) {
  return <PeriodPanel search={search} features={features} decades={facets.decade ?? null} years={facets.year ?? null} />;
}
