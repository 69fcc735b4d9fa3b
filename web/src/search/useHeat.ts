// Where all matches lie, counted for the part of the world that the map shows.

import { useEffect, useState } from "preact/hooks";
import { askedCells } from "../address.ts";
import { getJson, isAbort } from "../api.ts";
import type { Answer, Box, Facet } from "../types.ts";

const SETTLED_MS = 250;

/**
 * Null until it is counted, and where the service does not count cells. `view`: null until there is a map. `hold`: the
 * last counts stay while a question is typed.
 */
export function useHeat(search: URLSearchParams, view: Box | null, wanted: boolean, hold: boolean): Facet | null {
  const [heat, setHeat] = useState<Facet | null>(null);
  const address = view && wanted ? askedCells(search, view) : null;
  useEffect(() => {
    if (hold) return undefined;
    if (address === null) {
      setHeat(null);
      return undefined;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      getJson<Answer>(address, stop.signal)
        .then((answer) => setHeat(answer["sonde:facets"]?.cell ?? null))
        .catch((error) => {
          if (!isAbort(error)) setHeat(null); // the hits are there without it
        });
    }, SETTLED_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [address, hold]);
  return heat;
}
