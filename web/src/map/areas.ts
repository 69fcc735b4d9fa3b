// Areas that a reader draws or types, as WKT for the API and back. Pure.

import type { LatLngTuple } from "leaflet";
import { flatRing } from "./rings.ts";
import type { Ring } from "./shapes.ts";

export type Tool = "box" | "polygon" | "circle";
type Corner = LatLngTuple;

export interface Circle {
  centre: Corner;
  radiusKm: number;
}

const EARTH_KM = 6371;
const RADIANS = Math.PI / 180;
const CIRCLE_STEPS = 48;
const DIGITS = 4;

/** The positions that lie that far from the centre. */
export function ringOfCircle({ centre: [lat, lng], radiusKm }: Circle): Corner[] {
  const [off, phi] = [radiusKm / EARTH_KM, lat * RADIANS];
  return Array.from({ length: CIRCLE_STEPS }, (_, step) => {
    const angle = (step / CIRCLE_STEPS) * 2 * Math.PI;
    const up = Math.asin(Math.sin(phi) * Math.cos(off) + Math.cos(phi) * Math.sin(off) * Math.cos(angle));
    const across = Math.atan2(Math.sin(angle) * Math.sin(off) * Math.cos(phi), Math.cos(off) - Math.sin(phi) * Math.sin(up));
    return [up / RADIANS, lng + across / RADIANS];
  });
}

export function distanceKm([aLat, aLng]: Corner, [bLat, bLng]: Corner): number {
  const [a, b] = [aLat * RADIANS, bLat * RADIANS];
  const half = Math.sin((b - a) / 2) ** 2 + Math.cos(a) * Math.cos(b) * Math.sin(((bLng - aLng) * RADIANS) / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.sqrt(half));
}

/** The circle that a ring is, else null: opposite positions lie on both sides of its centre. */
export function circleOf(ring: Ring): Circle | null {
  if (ring.length !== CIRCLE_STEPS) return null;
  const [north, south] = [ring[0] as Corner, ring[CIRCLE_STEPS / 2] as Corner];
  if (Math.abs(north[1] - south[1]) > 0.001) return null;
  const centre: Corner = [(north[0] + south[0]) / 2, north[1]];
  const away = ring.map((corner) => distanceKm(centre, corner as Corner));
  const radiusKm = distanceKm(north, south) / 2;
  return Math.max(...away.map((km) => Math.abs(km - radiusKm))) > radiusKm / 50 + 0.05 ? null : { centre, radiusKm };
}

/** The ring as WKT: in parts where it crosses the antimeridian, and closed along a pole that lies in it. Null if it crosses itself or is no area. */
export function wktOfRing(ring: Ring): string | null {
  const parts = partsOf(ring);
  if (parts.length === 0 || crosses(ring)) return null;
  return `MULTIPOLYGON(${parts.map((part) => `((${part.map(([lat, lng]) => `${rounded(lng)} ${rounded(lat)}`).join(",")}))`).join(",")})`;
}

/** The ring that is in the address, without its last position; where it is in two parts at the antimeridian, null. */
export function ringOfRings(rings: readonly Ring[]): Ring | null {
  const [ring, second] = rings;
  return ring && !second ? ring.slice(0, -1) : null;
}

/** `latitude longitude` on each line; null if a line is none such, or there are fewer than three. */
export function ringOfText(text: string): Ring | null {
  const ring = text.split(/[\n;]+/).filter((line) => line.trim()).map((line) => line.trim().split(/[\s,]+/).map(Number));
  const sound = ring.every(([lat = Number.NaN, lng = Number.NaN, more]) => Math.abs(lat) <= 90 && Math.abs(lng) <= 360 && more === undefined);
  return sound && ring.length > 2 ? (ring as unknown as Ring) : null;
}

export function textOfRing(ring: Ring): string {
  return ring.map(([lat, lng]) => `${rounded(lat)} ${rounded(lng)}`).join("\n");
}

/** Each part within -180..180, closed. */
function partsOf(ring: Ring): Corner[][] {
  const [first] = ring;
  if (!first || ring.length < 3) return [];
  const flat = flatRing([...ring, first].map(([lat, lng]) => [lng, lat])).map(([lng = 0, lat = 0]): Corner => [lat, lng]);
  const [least, most] = [Math.min(...flat.map(([, lng]) => lng)), Math.max(...flat.map(([, lng]) => lng))];
  const parts: Corner[][] = [];
  for (let turn = Math.round(least / 360); turn <= Math.round(most / 360); turn += 1) {
    const moved = flat.map(([lat, lng]): Corner => [lat, lng - 360 * turn]);
    const part = clipped(clipped(moved, -180, 1), 180, -1);
    const corners = part.filter((corner, at) => textOfRing([corner]) !== textOfRing([part[(at + 1) % part.length] ?? corner]));
    const [begin] = corners;
    if (begin && corners.length > 2) parts.push([...corners, begin]);
  }
  return parts;
}

/** Sutherland and Hodgman 1974: the part of a ring on one side of a meridian. */
function clipped(ring: readonly Corner[], edge: number, side: 1 | -1): Corner[] {
  const inside = ([, lng]: Corner) => side * (lng - edge) >= 0;
  return ring.flatMap((corner, at) => {
    const before = ring.at(at - 1) ?? corner;
    if (inside(before) === inside(corner)) return inside(corner) ? [corner] : [];
    const share = (edge - before[1]) / (corner[1] - before[1]);
    const meeting: Corner = [before[0] + share * (corner[0] - before[0]), edge];
    return inside(corner) ? [meeting, corner] : [meeting];
  });
}

/** Whether any two edges that are no neighbours cross. */
export function crosses(ring: Ring): boolean {
  const edges = ring.map((corner, at) => [corner, ring[(at + 1) % ring.length] ?? corner] as const);
  return edges.some(([a, b], at) => edges.some(([c, d], other) => other > at + 1 && !(at === 0 && other === edges.length - 1) && apart(a, b, c, d) && apart(c, d, a, b)));
}

/** Whether c and d lie on different sides of the line through a and b. */
function apart(a: Ring[number], b: Ring[number], c: Ring[number], d: Ring[number]): boolean {
  const side = (p: Ring[number]) => (b[1] - a[1]) * (p[0] - a[0]) - (b[0] - a[0]) * (p[1] - a[1]);
  return side(c) * side(d) < 0;
}

function rounded(degrees: number): number {
  return Number(degrees.toFixed(DIGITS));
}
