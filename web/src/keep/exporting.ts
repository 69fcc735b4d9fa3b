// The whole list of hits as one file, fetched page by page.

import { askedAsFile } from "../address.ts";
import { sent } from "../api.ts";

export interface FileFormat {
  name: string;
  ending: string;
  mediaType: string;
  /** `f` of the API; `json`: GeoJSON. */
  form: "csv" | "bibtex" | "json";
  /** One file of the pages' texts. */
  joined(pages: readonly string[]): string;
}

export const FILE_FORMATS: readonly FileFormat[] = [
  { name: "CSV", ending: "csv", mediaType: "text/csv", form: "csv", joined: oneTable },
  { name: "BibTeX", ending: "bib", mediaType: "application/x-bibtex", form: "bibtex", joined: (pages) => pages.join("\n") },
  { name: "GeoJSON", ending: "geojson", mediaType: "application/geo+json", form: "json", joined: oneCollection },
];

/** All pages, from the first hit to the last that can be paged. `fetched`: called with the number of pages so far. */
export async function exported(search: URLSearchParams, format: FileFormat, fetched: (pages: number) => void, signal: AbortSignal): Promise<Blob> {
  const pages: string[] = [];
  let cursor: string | null = null;
  do {
    const answer: Response = await sent(askedAsFile(search, format.form, cursor), { headers: { Accept: format.mediaType }, signal });
    pages.push(await answer.text());
    fetched(pages.length);
    cursor = format.form === "json" ? nextIn(pages.at(-1) ?? "") : nextOf(answer.headers.get("Link"));
  } while (cursor !== null);
  return new Blob([format.joined(pages)], { type: format.mediaType });
}

/** The cursor in the header `Link`; only the cursor, because the link may contain the public address of a proxy. */
export function nextOf(header: string | null): string | null {
  const href = /<([^>]+)>;\s*rel="next"/.exec(header ?? "")?.[1];
  return href ? new URL(href, "http://localhost/").searchParams.get("cursor") : null;
}

function nextIn(page: string): string | null {
  const { links = [] } = JSON.parse(page) as { links?: { rel?: string; href: string }[] };
  const next = links.find(({ rel }) => rel === "next");
  return next ? new URL(next.href, "http://localhost/").searchParams.get("cursor") : null;
}

/** The header once; it has no line break in it. */
export function oneTable(pages: readonly string[]): string {
  return pages.map((page, index) => (index === 0 ? page : page.slice(page.indexOf("\n") + 1))).join("");
}

export function oneCollection(pages: readonly string[]): string {
  const features = pages.flatMap((page) => (JSON.parse(page) as { features: unknown[] }).features);
  return JSON.stringify({ type: "FeatureCollection", features });
}
