// Boxes as numbers and as text.

import type { Box, Feature } from "./types.ts";
import type { Words } from "./words/index.ts";

/** The areas that a record states, else those that its title names. */
export function boxesOf({ properties }: Feature): readonly Box[] {
  return properties["sonde:boxes"]?.length ? properties["sonde:boxes"] : (properties["sonde:estimatedBoxes"] ?? NOWHERE);
}

/** Whether the area is read from the title. */
export function isGuessed({ properties }: Feature): boolean {
  return !properties["sonde:boxes"]?.length && Boolean(properties["sonde:estimatedBoxes"]?.length);
}

const NOWHERE: readonly Box[] = [];

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

/** The box of which these are opposite corners: latitude and longitude each. */
export function boxOfRing([a = [0, 0], b = [0, 0]]: readonly (readonly [number, number, number?])[]): Box {
  return boxBetween({ lat: a[0], lng: a[1] }, { lat: b[0], lng: b[1] });
}

/** Numbers with a letter for the hemisphere. */
export function boxText([west, south, east, north]: Box, words: Words, locale: string): string {
  const degrees = (value: number, positive: string, negative: string) => {
    const rounded = Math.round(Math.abs(value) * 10) / 10;
    return `${rounded.toLocaleString(locale)}°${rounded === 0 ? "" : ` ${value > 0 ? positive : negative}`}`;
  };
  const letters = words.hemispheres;
  const lon = (value: number) => degrees(value, letters.east, letters.west);
  const lat = (value: number) => degrees(value, letters.north, letters.south);
  return `${lon(west)} – ${lon(east)}, ${lat(south)} – ${lat(north)}`;
}

function folded(lng: number): number {
  const inside = ((((lng + 180) % 360) + 360) % 360) - 180;
  return hundredth(inside === -180 && lng > 0 ? 180 : inside);
}

function hundredth(value: number): number {
  return Math.round(value * 100) / 100;
}
