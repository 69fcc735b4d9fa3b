// Reloads the state of a source every few seconds while it is being harvested, or a run was requested.

import { useEffect } from "preact/hooks";
import type { SourceState } from "./harvest.ts";

const EVERY_MS = 3000;

export function useLooking(states: readonly SourceState[], again: () => void): void {
  const runs = states.some((one) => one.lastRun?.state === "running");
  useEffect(() => {
    if (!runs) return undefined;
    const timer = setTimeout(again, EVERY_MS);
    return () => clearTimeout(timer);
  }, [runs, states]);
}
