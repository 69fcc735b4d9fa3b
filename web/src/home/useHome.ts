// What the start page tells of the catalogue: counts over all records, catalogues, and the newest records.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getIfThere, getJson, type Problem } from "../api.ts";
import { useKey } from "../session.ts";
import type { Catalogue } from "../sources/catalogue.ts";
import type { Answer, Feature } from "../types.ts";

/** Each part alone: one that fails leaves the others. */
export interface Home {
  answer: Answer | null;
  catalogues: Catalogue[];
  latest: Feature[];
  /** Why nothing of it is known. */
  problem: Problem | null;
}

const FACETS = "theme,region,decade,keyword,variable";
const NEWEST = 6;

/** The last one, so that going back to the start page shows it at once. */
let kept: Home | null = null;

/** Null until it is known. */
export function useHome(): { home: Home | null; again: () => void } {
  const known = useKey();
  const [attempt, setAttempt] = useState(0);
  const [home, setHome] = useState(kept);
  useEffect(() => {
    const stop = new AbortController();
    load(stop.signal)
      .then((found) => {
        if (found.answer) kept = found;
        setHome(found);
      })
      .catch(() => undefined);
    return () => stop.abort();
  }, [attempt, known]);
  return { home, again: () => setAttempt(attempt + 1) };
}

async function load(signal: AbortSignal): Promise<Home> {
  const parts = await Promise.allSettled([
    getJson<Answer>(`search?limit=1&facets=${FACETS}`, signal),
    getIfThere<{ collections: Catalogue[] }>("collections", signal),
    getIfThere<{ features: Feature[] }>(`collections/all/items?sortby=-updated&limit=${NEWEST}`, signal),
  ]);
  signal.throwIfAborted();
  const [answer, catalogues, latest] = parts;
  return {
    answer: settled(answer),
    catalogues: (settled(catalogues)?.collections ?? []).filter((one) => one.id !== "all"),
    latest: settled(latest)?.features ?? [],
    problem: answer.status === "rejected" ? asProblem(answer.reason) : null,
  };
}

function settled<T>(part: PromiseSettledResult<T>): T | null {
  return part.status === "fulfilled" ? part.value : null;
}
