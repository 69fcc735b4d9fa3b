// How the world lies on the map. Here: flat (plate carrée), so that boxes stay boxes and the poles are visible. `polar.ts` has the views from above a pole.

import type { Position } from "geojson";
import L from "leaflet";
import type { Box } from "../types.ts";
import { around, easternEdge, type Ring } from "./shapes.ts";
import { flatRing } from "./rings.ts";

export interface Ground {
  crs: L.CRS;
  /** Leaflet's limits of what can be seen. */
  limits: L.MapOptions;
  /** What is seen at first. */
  start: Ring;
  /** The polygons by which an area is drawn, each with its holes; more than one where the world is repeated. */
  polygons(ring: Ring): Ring[][];
  /** Longitudes by which lines are repeated. */
  turns: readonly number[];
  /** Natural Earth's ring; empty if it is not to be drawn. */
  land(ring: Position[]): Position[];
  /** Positions to be seen when the boxes are; empty if that is most of the world. */
  around(boxes: readonly Box[]): Ring;
  /** Meridians and parallels of what is seen. */
  graticule(map: L.Map): L.LatLngTuple[][];
  /** What the map shows, at most once around the world. */
  view(map: L.Map): Box;
  /** What covers the rest of the paper; holes show the world. */
  frame(map: L.Map): Ring[];
}

const TURNS = [0, -360, 360];
const STEPS_DEG = [30, 15, 10, 5, 2, 1, 0.5] as const;
const LEAST_PIXELS = 50;
const REACH_DEG = 540;
const WIDEST_DEG = 250; // with the room around it, a wider area would show parts of the world twice
const BEYOND_DEG = 2000;

export const FLAT: Ground = {
  crs: L.CRS.EPSG4326,
  limits: { maxBounds: [[-100, -400], [100, 400]], minZoom: -1 }, // a narrow map shows the whole world too
  start: rectangle(-90, -180, 90, 180),
  turns: TURNS,
  land: flatRing,
  polygons: (ring) => TURNS.map((turn) => [ring.map(([lat, lng]): L.LatLngTuple => [lat, lng + turn])]),
  around(boxes) {
    const bounds = around(boxes);
    const narrow = bounds.isValid() && bounds.getEast() - bounds.getWest() <= WIDEST_DEG;
    return narrow ? rectangle(bounds.getSouth(), bounds.getWest(), bounds.getNorth(), bounds.getEast()) : [];
  },
  graticule(map) {
    const bounds = map.getBounds().pad(0.2);
    const step = stepOf(map);
    const [west, east] = [Math.max(-REACH_DEG, bounds.getWest()), Math.min(REACH_DEG, bounds.getEast())];
    const [south, north] = [Math.max(-90, bounds.getSouth()), Math.min(90, bounds.getNorth())];
    const lines: L.LatLngTuple[][] = [];
    for (let lng = Math.ceil(west / step) * step; lng <= east; lng += step) lines.push([[south, lng], [north, lng]]);
    for (let lat = Math.ceil(south / step) * step; lat <= north; lat += step) lines.push([[lat, west], [lat, east]]);
    return lines;
  },
  view(map) {
    const bounds = map.getBounds();
    const [south, north] = [Math.max(-90, bounds.getSouth()), Math.min(90, bounds.getNorth())];
    const whole = widthOf(map) >= 359;
    return [whole ? -180 : within(bounds.getWest()), south, whole ? 180 : within(bounds.getEast()), north];
  },
  frame(map) {
    const reach = widthOf(map) > 360 ? 180 : BEYOND_DEG; // the world once
    const { lng } = map.getCenter();
    return [rectangle(-BEYOND_DEG, -BEYOND_DEG, BEYOND_DEG, BEYOND_DEG), rectangle(-90, lng - reach, 90, lng + reach)];
  },
};

function rectangle(south: number, west: number, north: number, east: number): Ring {
  return [[south, west], [north, west], [north, east], [south, east]];
}

/** The box's corners; beyond 180 where it spans the antimeridian. */
export function cornersOf([west, south, east, north]: Box): Ring {
  return rectangle(south, west, north, easternEdge(west, east));
}

function widthOf(map: L.Map): number {
  const bounds = map.getBounds();
  return bounds.getEast() - bounds.getWest();
}

function within(longitude: number): number {
  return ((((longitude + 180) % 360) + 360) % 360) - 180;
}

/** The closest lines that are far enough apart to be seen as lines. */
function stepOf(map: L.Map): number {
  const [a, b] = [map.project([0, 0]), map.project([0, 1])];
  const perDegree = Math.abs(b.x - a.x);
  return STEPS_DEG.filter((step) => step * perDegree >= LEAST_PIXELS).at(-1) ?? STEPS_DEG[0];
}

/** Brings the positions into view, with room around them. */
export function approach(map: L.Map, positions: Ring, room: number, options: L.ZoomPanOptions & { maxZoom?: number }): void {
  const place = L.bounds(positions.map((position) => map.project(position, 0)));
  const [size, { x, y }] = [map.getSize(), place.getSize()];
  const zoom = Math.log2(Math.min(size.x / (x * (1 + 2 * room)), size.y / (y * (1 + 2 * room))));
  const least = map.getMinZoom();
  map.setView(map.unproject(place.getCenter(), 0), Math.max(least, Math.min(options.maxZoom ?? 9, Math.floor(zoom * 4) / 4)), options);
}
