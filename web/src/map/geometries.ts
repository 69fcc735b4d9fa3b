// Areas of a file as WKT for the API, and WKT as rings for the map. A file is read here and never sent.

import type { Geometry, Position } from "geojson";
import { crosses } from "./areas.ts";

const MOST_POSITIONS = 150;
const FIRST_TOLERANCE_DEG = 0.001;
const DIGITS = 3;

/** The area of a file for the address. */
export interface FileArea {
  wkt: string;
  /** It has fewer corners than the file. */
  simplified: boolean;
}

/** Rings as WKT, simplified to what fits into an address; of one that would cross itself, its hull. Null without any. */
export function areaOfRings(rings: Position[][]): FileArea | null {
  const sound = rings.filter(isRing);
  const simple = reduced(sound.map(rounded));
  if (simple.length === 0) return null;
  const polygons = simple.map((ring) => (crosses(ring.slice(0, -1).map(([lng = 0, lat = 0]) => [lat, lng])) ? hullOf(ring) : ring));
  const texts = polygons.map((ring) => `((${ring.map(([lng, lat]) => `${lng} ${lat}`).join(",")}))`);
  // Polygons of a multipolygon may not touch along an edge, but those of a collection may.
  const wkt = texts.length === 1 ? `MULTIPOLYGON(${texts[0]})` : `GEOMETRYCOLLECTION(${texts.map((text) => `POLYGON${text.slice(0, -1)})`).join(",")})`;
  return { wkt, simplified: simple.flat().length < sound.flat().length };
}

/** With few enough positions: without the smallest rings; the hull of all where they are too many. */
function reduced(rings: Position[][]): Position[][] {
  let simple = rings;
  for (let tolerance = FIRST_TOLERANCE_DEG; simple.flat().length > MOST_POSITIONS; tolerance *= 2) {
    const coarser = simple.map((ring) => simplified(ring, tolerance)).filter((ring) => ring.length > 3);
    if (coarser.length === 0) return rings.length === 1 ? [] : reduced([hullOf(rings.flat())]);
    simple = coarser;
  }
  return simple;
}

/** The outer rings of the polygons in a GeoJSON or KML. */
export function ringsOfText(text: string): Position[][] {
  return text.trimStart().startsWith("<") ? ringsOfKml(text) : ringsOfGeoJson(text);
}

/** The outer rings of the polygons in GeoJSON of any kind. */
export function ringsOfJson(tree: unknown): Position[][] {
  return polygonsIn(tree as Node);
}

/** The corners of the convex hull, closed: Andrew 1979. */
function hullOf(ring: Position[]): Position[] {
  const sorted = [...ring].sort(([ax = 0, ay = 0], [bx = 0, by = 0]) => ax - bx || ay - by);
  const half = (positions: Position[]) => {
    const chain: Position[] = [];
    for (const position of positions) {
      while (chain.length > 1 && turn(chain.at(-2) ?? [], chain.at(-1) ?? [], position) <= 0) chain.pop();
      chain.push(position);
    }
    return chain;
  };
  return [...half(sorted), ...half(sorted.reverse()).slice(1)];
}

function turn([ax = 0, ay = 0]: Position, [bx = 0, by = 0]: Position, [cx = 0, cy = 0]: Position): number {
  return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax);
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
