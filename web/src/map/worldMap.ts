// The map, loaded when a view needs it: Leaflet on plate carrée (boxes stay boxes, and the poles are visible),
// with Natural Earth's land from this service and no external tiles.

import L from "leaflet";
import { areaDeg2 } from "../boxes.ts";
import { portal } from "../portal.ts";
import type { Box, Facet } from "../types.ts";
import { baseTilesOf } from "./baseTiles.ts";
import type { Tool } from "./areas.ts";
import { addGraticule } from "./graticule.ts";
import { gesturesOn } from "./gestures.ts";
import { approach, cornersOf, FLAT, type Ground } from "./ground.ts";
import { heatOf, viewOf } from "./heat.ts";
import { ringsOfArea } from "./geometries.ts";
import { addLand } from "./land.ts";
import { ranksOf } from "./ranks.ts";
import { type Area, type Drawn, drawShape, type MapEvents, roundedCorners, type Shape } from "./shapes.ts";

export interface MapWords {
  zoomIn: string;
  zoomOut: string;
}

export interface WorldMap {
  /** The records' extents, largest below; `areas` are the places read from the question, `filter` the searched box.
   * `centre`: the place within a distance of which the one area lies. */
  show(shapes: readonly Shape[], areas: readonly Box[], filter: Box | null, centre: Box | null): void;
  /** Draws the searched area, WKT or GeoJSON, and brings it into view. */
  outline(area: string | null): void;
  /** Marks one record's extent; `approach` also brings it into view. */
  mark(id: string | null, approach: boolean): void;
  /** Shades the cells by how many of all matches lie there; null for no shading. */
  heat(facet: Facet | null): void;
  /** The operator's base layer, if there is one; `failed`: its tiles cannot be loaded. */
  tiles(on: boolean, failed: () => void): void;
  /** Lets the reader draw; null for no more. */
  draw(tool: Tool | null): void;
  /** Shows handles by which an area is changed; null for none. */
  edit(area: Area | null): void;
  /** Draws more on it; the answer erases that again. */
  add(paint: (map: L.Map, ground: Ground) => () => void): () => void;
  world(): void;
  remove(): void;
}


export function createMap(element: HTMLElement, events: MapEvents, words: MapWords, ground: Ground = FLAT): WorldMap {
  const map = L.map(element, {
    crs: ground.crs,
    ...ground.limits,
    attributionControl: false,
    zoomControl: false,
    maxZoom: 9,
    zoomSnap: 0.25,
    trackResize: false, // the observer below does, and leaves no timer behind when the map is removed
    zoomAnimation: !matchMedia("(prefers-reduced-motion: reduce)").matches,
  });
  L.control.zoom({ zoomInTitle: words.zoomIn, zoomOutTitle: words.zoomOut }).addTo(map);
  map.getPane("mapPane")?.setAttribute("aria-hidden", "true"); // drawings without names; the list says all of it
  const start = portal.startMap && ground === FLAT ? cornersOf(portal.startMap) : ground.start;
  const world = () => approach(map, start, 0, { animate: false });
  world();
  gesturesOn(element, (gesture) => events.onHint?.(gesture));
  const unwatch = addLand(map, ground);
  const tiles = portal.baseLayer && ground === FLAT ? baseTilesOf(map, portal.baseLayer) : null;
  addGraticule(map, ground);
  const heat = heatOf(map, ground);
  const viewed = () => events.onView?.(viewOf(map, ground));
  map.on("moveend", viewed);
  const asked = L.layerGroup().addTo(map);
  const outlines = L.layerGroup().addTo(map);
  const hits = L.layerGroup().addTo(map);
  const drawn = new Map<string, Drawn>();
  const ranks = ranksOf(map, events);
  const tools = toolsOf(map, ground, events);
  let removed = false;
  const resized = new ResizeObserver(() => element.clientWidth > 0 && map.invalidateSize({ pan: false })); // hidden, it keeps its view
  resized.observe(element);

  function show(shapes: readonly Shape[], areas: readonly Box[], filter: Box | null, centre: Box | null): void {
    asked.clearLayers();
    hits.clearLayers();
    drawn.clear();
    for (const area of filter ? [filter] : areas) {
      const style = { className: filter ? "asked filter" : "asked", interactive: false };
      const corners = centre && !filter ? roundedCorners(area, centre) : cornersOf(area);
      for (const polygon of ground.polygons(corners)) L.polygon(polygon as L.LatLngTuple[][], style).addTo(asked);
    }
    const largestFirst = [...shapes].sort((a, b) => largest(b) - largest(a));
    for (const shape of largestFirst) drawn.set(shape.id, drawShape(shape, ground, events).addTo(hits));
    approachAll(filter ? [filter] : areas);
    ranks.show(shapes, drawn);
  }

  function outline(area: string | null): void {
    outlines.clearLayers();
    if (area === null) return;
    const rings = ringsOfArea(area);
    for (const polygon of rings.flatMap((ring) => ground.polygons(ring))) L.polygon(polygon as L.LatLngTuple[][], { className: "asked filter", interactive: false }).addTo(outlines);
    if (rings.length > 0) approach(map, rings.flat(), 0.4, { maxZoom: 6, animate: false });
  }

  function approachAll(areas: readonly Box[]): void {
    const place = ground.around(areas);
    if (place.length === 0) world();
    else approach(map, place, ground === FLAT ? 0.4 : 0.15, { maxZoom: 6, animate: false });
  }

  function mark(id: string | null, near: boolean): void {
    for (const [own, one] of drawn) one.mark(own === id);
    ranks.mark(id);
    const place = id === null ? undefined : drawn.get(id)?.place;
    if (near && place?.length) approach(map, place, 0.3, { maxZoom: 6 });
  }

  /** A map that is removed has erased it already. */
  function add(paint: (map: L.Map, ground: Ground) => () => void): () => void {
    const erase = paint(map, ground);
    return () => {
      if (!removed) erase();
    };
  }

  function remove(): void {
    removed = true;
    map.off("moveend", viewed);
    resized.disconnect();
    unwatch();
    tools.end();
    (map as unknown as { _animatingZoom: boolean })._animatingZoom = false; // else its end, by a timer, fails (Leaflet #4453)
    map.remove();
  }

  viewed();
  return { show, outline, mark, heat: heat.show, tiles: (on, failed) => tiles?.show(on, failed), draw: tools.draw, edit: tools.edit, add, world, remove };
}

/** Drawing and editing, loaded when somebody wants it; one at a time. */
function toolsOf(map: L.Map, ground: Ground, events: MapEvents) {
  let end: () => void = () => undefined;
  let turn = 0;
  const begin = (start: (drawing: typeof import("./drawing.ts")) => () => void) => {
    stop();
    const own = turn;
    void import("./drawing.ts").then((drawing) => {
      if (own === turn) end = start(drawing);
    });
  };
  function stop(): void {
    turn += 1;
    end();
    end = () => undefined;
  }
  return {
    end: stop,
    draw: (tool: Tool | null) => (tool ? begin((drawing) => drawing.draw(map, ground, tool, (ring) => events.onDrawn(ring && { tool, ring }))) : stop()),
    edit: (area: Area | null) => (area ? begin((drawing) => drawing.edit(map, area, (ring) => events.onDrawn({ tool: area.tool, ring }))) : stop()),
  };
}

function largest({ boxes }: Shape): number {
  return Math.max(0, ...boxes.map(areaDeg2));
}
