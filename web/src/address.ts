// The address is the saved search: the page uses the same parameters as GET /search.

import type { Box, Link, Part } from "./types.ts";

const PARTS: readonly Part[] = ["place", "time", "relation", "scale", "kind", "names", "terms", "conditions"];

/** Parameters with several values, each shown as a separate chip. */
export const VALUE_FILTERS: readonly string[] = [
  "type", "source", "organisation", "keyword", "theme", "provenance", "licence", "format", "media_type",
  "platform", "instrument", "project", "variable", "processing_level", "person",
];

/** Facets in the order of the page; decades and years are drawn as the histogram. */
export const FACETS: readonly string[] = [
  "type", "theme", "region", "provenance", "platform", "instrument", "variable", "project", "processing_level", "organisation",
  "keyword", "source", "format", "licence", "decade", "year",
];

const KEPT: readonly string[] = [
  "q", "algorithm", "bbox", "geometry", "place", "relation", "datetime", "filter", "filter-lang", "spatial", "temporal", "expand",
  "rerank", "interpret", "group", "spelling", "sortby", ...VALUE_FILTERS,
];

export const PAGE_SIZE = 20;
/** The largest page of the API. */
export const EXPORT_PAGE = 100;

/** The orders that the page offers; empty: the best first. */
export const ORDERS = ["", "-updated", "-created", "+title", "+resolution"] as const;

/** The search parameters of an address; others (for example of a newsletter) are dropped, because the API refuses them. */
export function searchOf(query: string): URLSearchParams {
  const kept = [...new URLSearchParams(query)].filter(([name, value]) => KEPT.includes(name) && value.trim() !== "");
  return new URLSearchParams(kept);
}

/** The address for the first page. */
export function asked(search: URLSearchParams): string {
  const query = new URLSearchParams(search);
  query.set("facets", FACETS.join(","));
  return paged(query, null);
}

/** The address for a question that is still typed, which the service does not count as asked. `words`: by words only. */
export function askedTyped(search: URLSearchParams, words: boolean): string {
  const query = new URLSearchParams(search);
  if (words) for (const [name, value] of [["algorithm", "bm25"], ["rerank", "false"], ["spelling", "off"]] as const) query.set(name, value);
  else query.set("facets", FACETS.join(","));
  query.set("typed", "true");
  return paged(query, null);
}

/** The address that only counts the question as asked. */
export function askedOnce(search: URLSearchParams): string {
  const query = new URLSearchParams(search);
  query.set("limit", String(PAGE_SIZE));
  return `search?${query}`;
}

/** The address that counts all matches by cells in a part of the world. */
export function askedCells(search: URLSearchParams, view: Box): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of [["facets", "cell"], ["cell_area", view.join(",")], ["rerank", "false"], ["limit", "1"]] as const) query.set(name, value);
  return `search?${query}`;
}

/** The address of one page of the list as a file; without facets and explanations. */
export function askedAsFile(search: URLSearchParams, form: string, cursor: string | null): string {
  const query = new URLSearchParams(search);
  query.set("f", form);
  query.set("limit", String(EXPORT_PAGE));
  if (cursor !== null) query.set("cursor", cursor);
  return `search?${query}`;
}

/** The address for a further page. */
export function askedAfter(search: URLSearchParams, cursor: string): string {
  return paged(new URLSearchParams(search), cursor);
}

function paged(query: URLSearchParams, cursor: string | null): string {
  query.set("explain", "true");
  query.set("highlight", "true");
  query.set("limit", String(PAGE_SIZE));
  if (cursor !== null) query.set("cursor", cursor);
  return `search?${query}`;
}

/** The cursor of the `next` link. Only the cursor: the link may contain the public address of a proxy. */
export function cursorOf(links: readonly Link[]): string | null {
  const next = links.find((link) => link.rel === "next");
  return next ? new URL(next.href, "http://localhost/").searchParams.get("cursor") : null;
}

const LISTED: readonly string[] = ["bbox", "datetime", "type", "sortby"];

/**
 * The unranked list of all records with any of the words; null if a filter is set that the list does not support.
 *
 * `thematic`: the question without its words of place and time, which only rank.
 */
export function unranked(search: URLSearchParams, thematic: string): string | null {
  const sources = search.getAll("source");
  const asking = ["q", "source", "interpret", "algorithm", "rerank", "group", "spelling"];
  if (sources.length > 1 || [...search.keys()].some((name) => !LISTED.includes(name) && !asking.includes(name))) return null;
  const query = new URLSearchParams([...search].filter(([name]) => LISTED.includes(name)));
  const terms = thematic.split(/[\s,]+/).filter(Boolean).join(",");
  if (terms) query.set("q", terms);
  return `collections/${encodeURIComponent(sources[0] ?? "all")}/items${query.size ? `?${query}` : ""}`;
}

/** Whether the search has any parameter. */
export function asksNothing(search: URLSearchParams): boolean {
  return [...search.keys()].every((name) => ["algorithm", "interpret", "rerank", "group", "relation", "spelling", "sortby"].includes(name));
}

const AREAS: readonly string[] = ["bbox", "geometry", "place"];

/** A copy with one parameter replaced, or removed where the value is null. */
export function changed(search: URLSearchParams, name: string, value: string | null): URLSearchParams {
  const copy = new URLSearchParams(search);
  if (value === null) copy.delete(name);
  else copy.set(name, value);
  if (AREAS.includes(name) && value !== null) for (const other of AREAS) if (other !== name) copy.delete(other); // the API accepts only one of them
  if (!AREAS.some((area) => copy.has(area))) copy.delete("relation");
  if (name === "q") copy.delete("spelling"); // it applied to the previous question
  return copy;
}

/** A copy with one value of a parameter added or removed. */
export function toggled(search: URLSearchParams, name: string, value: string): URLSearchParams {
  const values = search.getAll(name);
  const copy = new URLSearchParams(search);
  copy.delete(name);
  const after = values.includes(value) ? values.filter((one) => one !== value) : [...values, value];
  for (const one of after) copy.append(name, one);
  return copy;
}

/** The parts of the question that can be interpreted. */
export function readParts(search: URLSearchParams): readonly Part[] {
  const said = search.get("interpret") ?? "all";
  if (said === "all") return PARTS;
  return PARTS.filter((part) => said.split(",").includes(part));
}

/** A copy in which a part of the question is interpreted, or used as plain words. */
export function reading(search: URLSearchParams, part: Part, read: boolean): URLSearchParams {
  const parts = PARTS.filter((one) => (one === part ? read : readParts(search).includes(one)));
  const said = parts.length === PARTS.length ? null : parts.length ? parts.join(",") : "none";
  return changed(search, "interpret", said);
}

/** The box of the search; null if there is none or it is invalid. */
export function boxOf(search: URLSearchParams): Box | null {
  return readBox(search.get("bbox") ?? "");
}

/** `w,s,e,n` as a box; null if an edge is missing or out of range. */
export function readBox(text: string): Box | null {
  const edges = text.split(",");
  if (edges.length !== 4 || edges.some((edge) => edge.trim() === "")) return null;
  const [west, south, east, north] = edges.map(Number) as [number, number, number, number];
  const inside = Math.abs(west) <= 180 && Math.abs(east) <= 180 && south >= -90 && north <= 90;
  return inside && south <= north ? [west, south, east, north] : null;
}

/** First and last year of the search, null for an open end. */
export function yearsOf(search: URLSearchParams): [number | null, number | null] {
  const edges = (search.get("datetime") ?? "").split("/");
  const years = [edges[0], edges[1] ?? edges[0]].map((edge) => /^(-?\d{4,})/.exec(edge ?? "")?.[1]);
  return [years[0] ? Number(years[0]) : null, years[1] ? Number(years[1]) : null];
}

/** `datetime` for whole years; null if both ends are open. Years have four digits, as ISO 8601 requires. */
export function datetimeOf(first: number | null, last: number | null): string | null {
  if (first === null && last === null) return null;
  return `${first === null ? ".." : `${year(first)}-01-01`}/${last === null ? ".." : `${year(last)}-12-31`}`;
}

function year(value: number): string {
  return `${value < 0 ? "-" : ""}${String(Math.abs(value)).padStart(4, "0")}`;
}
