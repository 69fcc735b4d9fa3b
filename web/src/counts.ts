// Counts of a facet.

import type { Facet } from "./types.ts";

/** The smallest and the largest count; 1 and 1 without values. */
export function rangeOf(facet: Facet | null): [number, number] {
  const counts = (facet?.values ?? []).map((one) => one.count);
  return counts.length ? [Math.min(...counts), Math.max(...counts)] : [1, 1];
}
