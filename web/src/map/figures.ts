// GeoJSON geometries on the map as they are: polygons with holes, lines, points. Loaded when a view has some.

import type { Geometry, Position } from "geojson";
import L from "leaflet";
import type { Ground } from "./ground.ts";
import { unwrapped } from "./rings.ts";

export interface FigureStyle {
  className: string;
  pane?: string;
  interactive?: boolean;
}

/** The paths of a geometry, wherever the ground shows it. */
export function pathsOf(geometry: Geometry | null, ground: Ground, style: FigureStyle): L.Path[] {
  const options = { interactive: false, ...style };
  switch (geometry?.type) {
    case "Polygon":
      return polygonsOf(geometry.coordinates, ground).map((rings) => L.polygon(rings, options));
    case "LineString":
      return ground.turns.map((turn) => L.polyline(cornersOf(geometry.coordinates, turn), { ...options, className: `${style.className} line` }));
    case "Point":
      return ground.turns.flatMap((turn) => cornersOf([geometry.coordinates], turn).map((corner) => L.circleMarker(corner, { ...options, radius: 4, className: `${style.className} dot` })));
    case "MultiPolygon":
      return geometry.coordinates.flatMap((coordinates) => pathsOf({ type: "Polygon", coordinates }, ground, style));
    case "MultiLineString":
      return geometry.coordinates.flatMap((coordinates) => pathsOf({ type: "LineString", coordinates }, ground, style));
    case "MultiPoint":
      return geometry.coordinates.flatMap((coordinates) => pathsOf({ type: "Point", coordinates }, ground, style));
    case "GeometryCollection":
      return geometry.geometries.flatMap((part) => pathsOf(part, ground, style));
    default:
      return [];
  }
}

/** Draws geometries until the answer is called. */
export function drawFigures(map: L.Map, ground: Ground, geometries: readonly (Geometry | null)[], style: FigureStyle): () => void {
  const group = L.layerGroup(geometries.flatMap((geometry) => pathsOf(geometry, ground, style))).addTo(map);
  return () => void group.remove();
}

/** The outer ring with its holes, once for each place where the ground shows it. */
function polygonsOf(rings: Position[][], ground: Ground): L.LatLngTuple[][][] {
  const [outer = [], ...holes] = rings.map((ring) => ground.polygons(cornersOf(ring.slice(0, -1), 0)));
  return outer.map((polygon, turn) => [...polygon, ...holes.flatMap((hole) => hole[turn] ?? [])] as L.LatLngTuple[][]);
}

function cornersOf(line: readonly Position[], turn: number): L.LatLngTuple[] {
  return unwrapped(line.filter(isPlace)).map(([lng = 0, lat = 0]) => [lat, lng + turn]);
}

function isPlace([lng, lat]: Position): boolean {
  return Number.isFinite(lng) && Number.isFinite(lat) && Math.abs(lat as number) <= 90;
}
