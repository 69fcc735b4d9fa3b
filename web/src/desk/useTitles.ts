// The titles of records that rules and trials name by their ids.

import { useEffect, useState } from "preact/hooks";
import { getJson } from "../api.ts";
import { useKey } from "../session.ts";
import type { Feature } from "../types.ts";

const AT_ONCE = 50;

/** Null while they are being looked up; ids that are not there are not in the map. */
export function useTitles(ids: readonly string[]): ReadonlyMap<string, string> | null {
  const key = useKey();
  const wanted = [...new Set(ids)].sort().join(",");
  const [found, setFound] = useState<ReadonlyMap<string, string> | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    titlesOf(wanted === "" ? [] : wanted.split(","), stop.signal)
      .then(setFound)
      .catch(() => undefined);
    return () => stop.abort();
  }, [wanted, key]);
  return found;
}

async function titlesOf(ids: readonly string[], signal: AbortSignal): Promise<Map<string, string>> {
  const titles = new Map<string, string>();
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const query = new URLSearchParams({ ids: ids.slice(at, at + AT_ONCE).join(","), limit: String(AT_ONCE) });
    const { features } = await getJson<{ features: Feature[] }>(`collections/all/items?${query}`, signal);
    for (const one of features) titles.set(one.id, one.properties.title || one.id);
  }
  return titles;
}
