// Boxes as numbers and as text.

import type { Box } from "./types.ts";

/** Degrees from west to east, across the antimeridian where west > east. */
export function widthDeg([west, , east]: Box): number {
  return west <= east ? east - west : east + 360 - west;
}

export function areaDeg2(box: Box): number {
  return widthDeg(box) * (box[3] - box[1]);
}

/** A box between two corners in any order; latitudes are limited to the globe, longitudes wrapped to -180..180. */
export function boxBetween(a: { lat: number; lng: number }, b: { lat: number; lng: number }): Box {
  const [south, north] = [a.lat, b.lat].map((lat) => Math.min(90, Math.max(-90, lat))).sort((x, y) => x - y);
  const [left, right] = [a.lng, b.lng].sort((x, y) => x - y) as [number, number];
  const whole = right - left >= 360;
  return [whole ? -180 : folded(left), hundredth(south ?? -90), whole ? 180 : folded(right), hundredth(north ?? 90)];
}

/** Numbers with a letter for the hemisphere: only the letters depend on the language. */
export function boxText([west, south, east, north]: Box): string {
  return `${degrees(west, "E", "W")} – ${degrees(east, "E", "W")}, ${degrees(south, "N", "S")} – ${degrees(north, "N", "S")}`;
}

function degrees(value: number, positive: string, negative: string): string {
  const rounded = Math.round(Math.abs(value) * 10) / 10;
  return `${rounded}°${rounded === 0 ? "" : ` ${value > 0 ? positive : negative}`}`;
}

function folded(lng: number): number {
  const inside = ((((lng + 180) % 360) + 360) % 360) - 180;
  return hundredth(inside === -180 && lng > 0 ? 180 : inside);
}

function hundredth(value: number): number {
  return Math.round(value * 100) / 100;
}
