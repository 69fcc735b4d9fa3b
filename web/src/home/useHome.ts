// What the start page tells of the catalogue: counts over all records, catalogues, and the newest records.

import { useEffect, useState } from "preact/hooks";
import { getIfThere, getJson } from "../api.ts";
import type { Catalogue } from "../sources/catalogue.ts";
import type { Answer, Feature } from "../types.ts";

export interface Home {
  answer: Answer;
  catalogues: Catalogue[];
  latest: Feature[];
}

const FACETS = "theme,region,decade,keyword,variable";
const NEWEST = 6;

/** The last one, so that going back to the start page shows it at once. */
let kept: Home | null = null;

/** Null until it is known, and if the service cannot tell it: the search works without it. */
export function useHome(): Home | null {
  const [home, setHome] = useState(kept);
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal)
      .then((found) => setHome((kept = found)))
      .catch(() => undefined);
    return () => stop.abort();
  }, []);
  return home;
}

async function load(signal: AbortSignal): Promise<Home> {
  const [answer, catalogues, latest] = await Promise.all([
    getJson<Answer>(`search?limit=1&facets=${FACETS}`, signal),
    getIfThere<{ collections: Catalogue[] }>("collections", signal),
    getIfThere<{ features: Feature[] }>(`collections/all/items?sortby=-updated&limit=${NEWEST}`, signal),
  ]);
  return { answer, catalogues: (catalogues?.collections ?? []).filter((one) => one.id !== "all"), latest: latest?.features ?? [] };
}
