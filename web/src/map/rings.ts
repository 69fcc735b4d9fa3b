// Adapts Natural Earth's lines to a flat map: on the globe, 180° W and 180° E are the same.

import type { Position } from "geojson";

/** The line without jumps across the antimeridian: longitudes continue beyond 180 instead. */
export function unwrapped(line: readonly Position[]): Position[] {
  let turns = 0;
  let before: number | undefined;
  return line.map(([lng = 0, lat = 0]) => {
    if (before !== undefined && lng - before > 180) turns -= 360;
    if (before !== undefined && lng - before < -180) turns += 360;
    before = lng;
    return [lng + turns, lat];
  });
}

/** A ring without jumps; one around a pole (Antarctica) is closed along that pole. */
export function flatRing(ring: readonly Position[]): Position[] {
  const flat = unwrapped(ring);
  const [first, last] = [flat[0]?.[0] ?? 0, flat.at(-1)?.[0] ?? 0];
  if (Math.abs(last - first) < 180) return flat;
  const pole = (flat[0]?.[1] ?? 0) < 0 ? -90 : 90;
  return [...flat, [last, pole], [first, pole]];
}
