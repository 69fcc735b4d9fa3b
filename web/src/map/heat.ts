// The cells of all matches below the hits: the darker, the more records. Drawn on one canvas, because there are thousands.
// The cells with the fewest are almost clear: records of the whole world are everywhere, and would hide the differences.

import L from "leaflet";
import { rangeOf } from "../counts.ts";
import type { Box, Facet } from "../types.ts";
import { cornersOf, type Ground } from "./ground.ts";

const FAINTEST = 0.05;
const RANGE = 0.6;
/** Counts that differ by less than this factor differ little in shade too: the land below stays visible. */
const WHOLE_RANGE = 8;

export interface Heat {
  show(facet: Facet | null): void;
}

export function heatOf(map: L.Map, ground: Ground): Heat {
  const pane = map.createPane("heat");
  pane.style.zIndex = "250"; // above the land, below the hits
  pane.style.pointerEvents = "none";
  const renderer = L.canvas({ pane: "heat", padding: 0.2 });
  const cells = L.layerGroup().addTo(map);

  function show(facet: Facet | null): void {
    cells.clearLayers();
    const colour = getComputedStyle(map.getContainer()).getPropertyValue("--heat").trim() || "#c2410c";
    const [least, most] = rangeOf(facet);
    const reach = Math.log(Math.max(most / least, WHOLE_RANGE));
    for (const one of facet?.values ?? []) {
      const fillOpacity = FAINTEST + (RANGE * Math.log(one.count / least)) / reach;
      for (const polygon of ground.polygons(cornersOf(one.value.split(",").map(Number) as unknown as Box))) {
        L.polygon(polygon as L.LatLngTuple[][], { renderer, pane: "heat", interactive: false, stroke: false, fillColor: colour, fillOpacity }).addTo(cells);
      }
    }
  }

  return { show };
}

/** What the map shows, as a box of the API, rounded outwards to tenths of a degree. */
export function viewOf(map: L.Map, ground: Ground): Box {
  const [west, south, east, north] = ground.view(map);
  return [outwards(west, Math.floor), outwards(south, Math.floor), outwards(east, Math.ceil), outwards(north, Math.ceil)];
}

function outwards(edge: number, round: (value: number) => number): number {
  return round(edge * 10) / 10;
}
