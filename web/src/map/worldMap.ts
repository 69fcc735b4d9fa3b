// The map, loaded when a view needs it: Leaflet on plate carrée (boxes stay boxes, and the poles are visible),
// with Natural Earth's land from this service and no external tiles.

import L from "leaflet";
import { portal } from "../portal.ts";
import type { Box, Facet } from "../types.ts";
import { baseTilesOf } from "./baseTiles.ts";
import { drawingOf } from "./drawing.ts";
import { addGraticule } from "./graticule.ts";
import { heatOf, viewOf } from "./heat.ts";
import { addLand } from "./land.ts";
import { ranksOf } from "./ranks.ts";
import { around, type Drawn, drawShape, type MapEvents, roundedCorners, type Shape, TURNS, turned } from "./shapes.ts";

export interface MapWords {
  zoomIn: string;
  zoomOut: string;
}

export interface WorldMap {
  /** The records' extents, largest below; `areas` are the places read from the question, `filter` the searched box.
   * `centre`: the place within a distance of which the one area lies. */
  show(shapes: readonly Shape[], areas: readonly Box[], filter: Box | null, centre: Box | null): void;
  /** Marks one record's extent; `approach` also brings it into view. */
  mark(id: string | null, approach: boolean): void;
  /** Shades the cells by how many of all matches lie there; null for no shading. */
  heat(facet: Facet | null): void;
  /** The operator's base layer, if there is one; `failed`: its tiles cannot be loaded. */
  tiles(on: boolean, failed: () => void): void;
  draw(on: boolean): void;
  world(): void;
  remove(): void;
}

const WORLD = L.latLngBounds([-90, -180], [90, 180]);
const START = portal.startMap ? L.latLngBounds([portal.startMap[1], portal.startMap[0]], [portal.startMap[3], portal.startMap[2]]) : WORLD;
const WIDEST_DEG = 250; // with the room around it, a wider area would show parts of the world twice
const REACH = L.latLngBounds([-100, -400], [100, 400]);

export function createMap(element: HTMLElement, events: MapEvents, words: MapWords): WorldMap {
  const map = L.map(element, {
    crs: L.CRS.EPSG4326,
    attributionControl: false,
    zoomControl: false,
    maxBounds: REACH,
    minZoom: -1, // a narrow map shows the whole world too
    maxZoom: 9,
    zoomSnap: 0.25,
    trackResize: false, // the observer below does, and leaves no timer behind when the map is removed
    zoomAnimation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  });
  L.control.zoom({ zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  map.getPane("mapPane")?.setAttribute("aria-hidden", "true"); // drawings without names; the list says all of it
  const world = () => map.fitBounds(START, { animate: false });
  world();
  const unwatch = addLand(map);
  const tiles = portal.baseLayer && baseTilesOf(map, portal.baseLayer);
  addGraticule(map);
  const heat = heatOf(map);
  const viewed = () => events.onView?.(viewOf(map));
  map.on("moveend", viewed);
  const asked = L.layerGroup().addTo(map);
  const hits = L.layerGroup().addTo(map);
  const drawn = new Map<string, Drawn>();
  const ranks = ranksOf(map, events);
  const drawing = drawingOf(map, events.onBox);
  const resized = new ResizeObserver(() => element.clientWidth > 0 && map.invalidateSize({ pan: false })); // hidden, it keeps its view
  resized.observe(element);

  function show(shapes: readonly Shape[], areas: readonly Box[], filter: Box | null, centre: Box | null): void {
    asked.clearLayers();
    hits.clearLayers();
    drawn.clear();
    for (const area of filter ? [filter] : areas) {
      const style = { className: filter ? "asked filter" : "asked", interactive: false };
      if (centre && !filter) {
        const corners = roundedCorners(area, centre);
        for (const turn of TURNS) L.polygon(corners.map(([latitude, longitude]) => [latitude, longitude + turn]), style).addTo(asked);
      } else {
        for (const bounds of turned(area)) L.rectangle(bounds, style).addTo(asked);
      }
    }
    const largestFirst = [...shapes].sort((a, b) => extentOf(b) - extentOf(a));
    for (const shape of largestFirst) drawn.set(shape.id, drawShape(shape, events).addTo(hits));
    approachAll(filter ? [filter] : areas);
    ranks.show(shapes, drawn);
  }

  function approachAll(areas: readonly Box[]): void {
    const bounds = around(areas);
    if (!bounds.isValid() || bounds.getEast() - bounds.getWest() > WIDEST_DEG) world();
    else map.fitBounds(bounds.pad(0.4), { maxZoom: 6, animate: false });
  }

  function mark(id: string | null, approach: boolean): void {
    for (const [own, one] of drawn) one.mark(own === id);
    ranks.mark(id);
    const one = id === null ? undefined : drawn.get(id);
    const bounds = one?.bounds;
    if (approach && bounds?.isValid()) map.fitBounds(bounds.pad(0.3), { maxZoom: 6 });
  }

  function remove(): void {
    map.off("moveend", viewed);
    resized.disconnect();
    unwatch();
    drawing.end();
    (map as unknown as { _animatingZoom: boolean })._animatingZoom = false; // else its end, by a timer, fails (Leaflet #4453)
    map.remove();
  }

  viewed();
  return { show, mark, heat: heat.show, tiles: (on, failed) => tiles?.show(on, failed), draw: (on) => (on ? drawing.begin() : drawing.end()), world, remove };
}

function extentOf(shape: Shape): number {
  const sizes = shape.boxes.map((box) => {
    const [first] = turned(box);
    return (first.getEast() - first.getWest()) * (first.getNorth() - first.getSouth());
  });
  return Math.max(0, ...sizes);
}
