// The hits seen last: a record's page can show them at once, and has a link back.

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

/** The address of the search before the record's page; null if the page was opened directly. */
export function recentSearch(): string | null {
  return query === null ? null : `./${query}`;
}
