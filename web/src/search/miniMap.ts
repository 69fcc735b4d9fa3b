// Where a hit's area lies, as CSS on a small map twice as wide as high. Pure. The land is `land.svg`, the whole world.

import type { Box } from "../types.ts";

/** West and north of a part of the world in degrees, and its width; it is half as high. */
export interface View {
  west: number;
  north: number;
  width: number;
}

const LEAST_DEG = 40;
const ROOM = 1.8;
const WORLD: View = { west: -180, north: 90, width: 360 };
const DOT_PERCENT = 5;

/** What is around the boxes: enough of the world to see where it is. */
export function viewAround(boxes: readonly Box[]): View {
  if (boxes.length === 0) return WORLD;
  const wests = boxes.map(([west]) => west);
  const easts = boxes.map(([west, , east]) => (east < west ? east + 360 : east));
  const [west, east] = [Math.min(...wests), Math.max(...easts)];
  const [south, north] = [Math.min(...boxes.map((box) => box[1])), Math.max(...boxes.map((box) => box[3]))];
  const width = Math.max(LEAST_DEG, (east - west) * ROOM, (north - south) * 2 * ROOM);
  if (width >= 360) return WORLD;
  const height = width / 2;
  const top = Math.min(90, Math.max((north + south + height) / 2, height - 90));
  return { west: (west + east - width) / 2, north: top, width };
}

/** The part of the world's land: it is repeated to both sides. */
export function landOf({ west, north, width }: View): Record<string, string> {
  const height = width / 2;
  const [x, y] = [placed(west + 180, 360 - width), placed(90 - north, 180 - height)];
  return { maskSize: `${percent(360 / width)} ${percent(180 / height)}`, maskPosition: `${percent(x)} ${percent(y)}` };
}

/** Too small a box is drawn as a dot that can be seen. */
export function boxOnMap([west, south, east, north]: Box, view: View): Record<string, string> {
  const end = east < west ? east + 360 : east;
  const turn = west - view.west >= 360 ? -360 : end < view.west ? 360 : 0;
  const [left, top] = [(west + turn - view.west) / view.width, (view.north - north) / (view.width / 2)];
  const [across, down] = [(end - west) / view.width, (north - south) / (view.width / 2)];
  const [wide, high] = [Math.max(across, DOT_PERCENT / 100), Math.max(down, (2 * DOT_PERCENT) / 100)];
  return { left: percent(left - (wide - across) / 2), top: percent(top - (high - down) / 2), width: percent(wide), height: percent(high) };
}

/** CSS places a picture that is larger than its frame by the share of what is left over. */
function placed(offset: number, over: number): number {
  return over === 0 ? 0 : offset / over;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}
