// The hits that were just seen: a record's page has something to show at once, and knows the way back.

import type { Feature } from "../types.ts";

let query: string | null = null;
const seen = new Map<string, Feature>();
const MOST = 500;

export function rememberHits(asked: string, features: readonly Feature[]): void {
  query = asked;
  if (seen.size > MOST) seen.clear();
  for (const feature of features) seen.set(feature.id, feature);
}

export function recentHit(id: string): Feature | null {
  return seen.get(id) ?? null;
}

/** The address of the search that was left for a record; null on a page that was opened directly. */
export function recentSearch(): string | null {
  return query === null ? null : `./${query}`;
}
