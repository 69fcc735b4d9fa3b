// What leads on from a record: its relations, documents that name it, and works elsewhere that cite it.

import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";
import type { Feature, Successor } from "../types.ts";
import { itemAddress } from "./useRecord.ts";

export interface Related {
  relation: string;
  /** Of the project. */
  name?: string;
  matched: number;
  records: Feature[];
}

export interface Mention {
  document: string;
  title: string;
  published?: string;
  by: "text" | "references";
  quote: string;
  ordinal?: number;
  page?: number;
  /** How many were read from it; missing if none. */
  tables?: number;
}

export interface Kin {
  related: Related[];
  /** Documents that belong to it; not in answers of services before this one. */
  explains?: Mention[];
  mentions: Mention[];
}

export interface Citation {
  doi: string;
  relation: string;
  said_by?: string;
  year?: string;
}

const NO_KIN: Kin = { related: [], mentions: [] };

/** Empty until it is known: the page works without it. */
export function useKin(id: string): Kin {
  return useOffered<Kin>(itemAddress(id, "/kin")) ?? NO_KIN;
}

export function useCitations(id: string): Citation[] {
  return useOffered<{ citations: Citation[] }>(itemAddress(id, "/citations"))?.citations ?? [];
}

/** The newest that the catalogue has, else what the metadata state. */
export function newerVersion(feature: Feature, kin: Kin): Successor | undefined {
  const newest = kin.related.find(({ relation }) => relation === "newer_version")?.records[0];
  if (newest) return { id: newest.id, title: newest.properties.title, edition: newest.properties["sonde:edition"] };
  const stated = feature.links?.find(({ rel }) => rel === "successor-version");
  return stated && { href: stated.href, title: stated.title };
}

function useOffered<T>(address: string): T | null {
  const [said, setSaid] = useState<T | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    setSaid(null);
    getIfThere<T>(address, stop.signal)
      .then(setSaid)
      .catch(() => setSaid(null));
    return () => stop.abort();
  }, [address]);
  return said;
}
