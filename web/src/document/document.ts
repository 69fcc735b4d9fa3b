// A document of the API, its passages and the place that an address cites.

import type { Link, Properties } from "../types.ts";

export interface DocumentTable {
  number: number;
  caption?: string;
  page?: number;
  rows: number;
  columns: number;
  confidence?: number;
}

export interface DocumentProperties extends Properties {
  "sonde:journal"?: string;
  "sonde:record"?: string;
  "sonde:recordTitle"?: string;
  "sonde:pages"?: number;
  "sonde:passageCount"?: number;
  "sonde:tables"?: DocumentTable[];
  "sonde:references"?: string[];
  /** Where each value was read: page, xmp, info, crossref, datacite or owner. */
  "sonde:metadataFrom"?: Record<string, string>;
  "sonde:private"?: boolean;
}

export interface DocumentFeature {
  id: string;
  properties: DocumentProperties;
  links: Link[];
}

/** Left, top, right, bottom in points from the upper left corner of the page as shown. */
export type MarkBox = readonly [left: number, top: number, right: number, bottom: number];

export interface Mark {
  page: number;
  boxes: MarkBox[];
}

export interface DocumentPassage {
  number: number;
  section: string[];
  pages?: [number, number];
  text: string;
}

export interface CitedPassage extends DocumentPassage {
  /** The sentence as it stands in the passage; missing if it is not found there. */
  quote?: string;
  marks: Mark[];
}

/** What the fragment of an address cites. */
export interface Cited {
  passage: number;
  quote: string;
  /** The address of the answer that cites it, relative to the root. */
  from?: string | undefined;
}

/** The address of a document's page, relative to the root; with a citation it opens there. */
export function documentAddress(id: string, cited?: Cited): string {
  const address = `documents/${encodeURIComponent(id)}`;
  if (!cited) return address;
  const { passage, quote, from } = cited;
  return `${address}#${new URLSearchParams({ passage: String(passage), quote, ...(from && { from }) })}`;
}

/** Only an answer of this page: an address may come from anybody. */
const ANSWER = /^answers\?/;

export function citedBy(hash: string): Cited | null {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const passage = said.get("passage") ?? "";
  if (!/^\d+$/.test(passage)) return null;
  const from = said.get("from") ?? "";
  return { passage: Number(passage), quote: said.get("quote") ?? "", from: ANSWER.test(from) ? from : undefined };
}

/** The address of a page of a document's file. */
export function pageAddress(id: string, page: number): string {
  return `${documentAddress(id)}#page=${page}`;
}

/** The page that the address of a document names. */
export function pageIn(hash: string): number | null {
  const page = Number(new URLSearchParams(hash.replace(/^#/, "")).get("page"));
  return Number.isInteger(page) && page > 0 ? page : null;
}

/** The number of a passage in its document, from its id. */
export function passageNumber(id: string): number {
  return Number(id.slice(id.lastIndexOf("#") + 1));
}

/** Where the file can be had elsewhere, at this page; null if nowhere. */
export function originAt(links: readonly Link[], page: number | undefined): string | null {
  const origin = links.find((one) => one.rel === "via")?.href;
  if (origin === undefined || !/^https?:/.test(origin)) return null;
  return page === undefined || origin.includes("#") ? origin : `${origin}#page=${page}`;
}
