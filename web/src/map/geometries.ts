// Areas of a file as WKT for the API, and WKT as rings for the map. A file is read here and never sent.

import type { Geometry, Position } from "geojson";

const MOST_POSITIONS = 150;
const FIRST_TOLERANCE_DEG = 0.001;
const DIGITS = 3;

/** The polygons of a GeoJSON or KML file without their holes, as WKT; simplified to what fits into an address. Null without any. */
export function wktOf(text: string): string | null {
  const rings = text.trimStart().startsWith("<") ? ringsOfKml(text) : ringsOfGeoJson(text);
  if (rings.length === 0) return null;
  let tolerance = FIRST_TOLERANCE_DEG;
  let simple = rings.map(rounded);
  while (simple.flat().length > MOST_POSITIONS) {
    simple = simple.map((ring) => simplified(ring, tolerance)).filter((ring) => ring.length > 3);
    tolerance *= 2;
  }
  return simple.length === 0 ? null : `MULTIPOLYGON(${simple.map((ring) => `((${ring.map(([lng, lat]) => `${lng} ${lat}`).join(",")}))`).join(",")})`;
}

/** Latitude and longitude of each position of each ring in a WKT or a GeoJSON. */
export function ringsOfArea(area: string): [number, number][][] {
  if (area.trimStart().startsWith("{")) return ringsOfGeoJson(area).map((ring) => ring.map(([lng = 0, lat = 0]) => [lat, lng]));
  return [...area.matchAll(/\(([^()]+)\)/g)].map(([, positions = ""]) =>
    positions.split(",").map((position): [number, number] => {
      const [lng = 0, lat = 0] = position.trim().split(/\s+/).map(Number);
      return [lat, lng];
    }),
  );
}

type Node = { type?: string; geometry?: Node | null; features?: Node[]; geometries?: Node[] };

function ringsOfGeoJson(text: string): Position[][] {
  try {
    return polygonsIn(JSON.parse(text) as Node).filter(isRing);
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

function polygonsIn(node: Node | null | undefined): Position[][] {
  const inside = [...(node?.features ?? []), ...(node?.geometries ?? []), ...(node?.geometry ? [node.geometry] : [])].flatMap(polygonsIn);
  const geometry = node as Geometry | null | undefined;
  if (geometry?.type === "Polygon") return geometry.coordinates.slice(0, 1);
  return geometry?.type === "MultiPolygon" ? geometry.coordinates.flatMap((rings) => rings.slice(0, 1)) : inside;
}

function ringsOfKml(text: string): Position[][] {
  const outer = [...text.matchAll(/<outerBoundaryIs>[\s\S]*?<coordinates>([^<]*)<\/coordinates>/g)];
  return outer.map(([, positions = ""]) => positions.trim().split(/\s+/).map((one) => one.split(",").slice(0, 2).map(Number))).filter(isRing);
}

function isRing(ring: Position[]): boolean {
  return ring.length > 3 && ring.every(([lng, lat]) => Math.abs(lng ?? Number.NaN) <= 180 && Math.abs(lat ?? Number.NaN) <= 90);
}

function rounded(ring: Position[]): Position[] {
  return ring.map((position) => position.slice(0, 2).map((degrees) => Number(degrees.toFixed(DIGITS))));
}

/** Douglas and Peucker 1973: without positions that are nearer than `tolerance` to the line between those that stay. */
function simplified(line: Position[], tolerance: number): Position[] {
  const [first, last] = [line[0], line.at(-1)];
  if (!first || !last || line.length < 3) return line;
  let [farthest, most] = [0, 0];
  line.forEach((position, at) => {
    const off = distance(position, first, last);
    if (off > most) [farthest, most] = [at, off];
  });
  if (most <= tolerance) return [first, last];
  return [...simplified(line.slice(0, farthest + 1), tolerance), ...simplified(line.slice(farthest), tolerance).slice(1)];
}

/** In degrees from a line; from its start if it has no length, as in a closed ring. */
function distance([x = 0, y = 0]: Position, [ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position): number {
  const length = Math.hypot(bx - ax, by - ay);
  return length === 0 ? Math.hypot(x - ax, y - ay) : Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length;
}
