// Separates the links of a record's metadata from those that the service adds.

import { safeHref } from "../safe.ts";
import type { Feature, Link } from "../types.ts";

export interface RecordLinks {
  /** From the metadata: landing pages, downloads, services. */
  own: Link[];
  /** The record in other formats. */
  alternates: Link[];
}

export function linksOf(feature: Feature): RecordLinks {
  const links = feature.links ?? [];
  const isOurs = ours(links);
  return {
    own: links.filter((link) => !isOurs(link) && link.rel !== "profile" && safeHref(link.href) !== null),
    alternates: links.filter((link) => isOurs(link) && link.rel === "alternate" && link.type !== "text/html"),
  };
}

/** Whether the service offers a small picture of the record. */
export function hasPreview(feature: Feature): boolean {
  const links = feature.links ?? [];
  const isOurs = ours(links);
  return links.some((link) => link.rel === "preview" && isOurs(link));
}

/** Whether something says where the granules of the record are. */
export function hasGranules(feature: Feature): boolean {
  const links = feature.links ?? [];
  const isOurs = ours(links);
  return links.some((link) => link.rel === "sonde:granules" && isOurs(link));
}

/** Separates the service's links from those of the metadata. */
function ours(links: Link[]): (link: Link) => boolean {
  const self = links.find((link) => link.rel === "self" && link.href.includes("/collections/"))?.href;
  const service = self ? `${self.split("/collections/")[0]}/collections/` : null;
  return (link) => service !== null && link.href.startsWith(service);
}
