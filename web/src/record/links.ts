// The links of a record, those of its metadata apart from those that the service adds.

import { safeHref } from "../safe.ts";
import type { Feature, Link } from "../types.ts";

export interface RecordLinks {
  /** What the metadata name: landing pages, downloads, services. */
  own: Link[];
  /** The record in other formats. */
  alternates: Link[];
}

export function linksOf(feature: Feature): RecordLinks {
  const links = feature.links ?? [];
  const self = links.find((link) => link.rel === "self" && link.href.includes("/collections/"))?.href;
  const service = self ? `${self.split("/collections/")[0]}/collections/` : null;
  const isOurs = (link: Link) => service !== null && link.href.startsWith(service);
  return {
    own: links.filter((link) => !isOurs(link) && safeHref(link.href) !== null),
    alternates: links.filter((link) => isOurs(link) && link.rel === "alternate" && link.type !== "text/html"),
  };
}
