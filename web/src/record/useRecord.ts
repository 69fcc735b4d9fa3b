// Loads a record by its id: first from the recent hits, then complete from the service.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getIfThere, isAbort, type Problem } from "../api.ts";
import { recentHit } from "../search/recent.ts";
import type { Feature } from "../types.ts";

export interface RecordState {
  feature: Feature | null;
  loading: boolean;
  missing: boolean;
  problem: Problem | null;
}

/** The address of a record in the API, or of a part of it (`/similar`). */
export function itemAddress(id: string, rest = ""): string {
  return `collections/all/items/${encodeURIComponent(id)}${rest}`;
}

export function useRecord(id: string, attempt: number): RecordState {
  const [state, setState] = useState<RecordState>(() => begun(id));
  useEffect(() => {
    const stop = new AbortController();
    setState(begun(id));
    void load(id, stop.signal).then((loaded) => loaded && setState(loaded));
    return () => stop.abort();
  }, [id, attempt]);
  return state;
}

function begun(id: string): RecordState {
  return { feature: recentHit(id), loading: true, missing: false, problem: null };
}

/** Null if the request was aborted. */
async function load(id: string, signal: AbortSignal): Promise<RecordState | null> {
  try {
    const found = await getIfThere<Feature>(itemAddress(id), signal);
    const feature = found ?? recentHit(id);
    return { feature, loading: false, missing: feature === null, problem: null };
  } catch (error) {
    if (isAbort(error)) return null;
    return { feature: recentHit(id), loading: false, missing: false, problem: asProblem(error) };
  }
}
