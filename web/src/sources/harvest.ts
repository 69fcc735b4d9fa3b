// The answers of /harvest, for stewards.

import { sendJson } from "../api.ts";
import type { PauseBody, StartBody } from "../openapi.ts";

export interface Run {
  id: string;
  source: string;
  state: string;
  silent: boolean;
  started: string;
  finished: string | null;
  full: boolean;
  message: string | null;
  counts: Record<string, number>;
}

export interface Refusal {
  origin: string;
  reason: string;
  kept?: boolean;
}

export interface WholeRun extends Run {
  refusals: Refusal[];
  failures: Refusal[];
  warnings: { kind: string; count: number; examples: string[] }[];
  took_ms: Record<string, number>;
}

export interface SourceState {
  id: string;
  title: string;
  type: string | null;
  configured: boolean;
  schedule: { cron: string | null; interval: string | null } | null;
  paused: boolean;
  pausedBy: "file" | "steward" | null;
  nextRun: string | null;
  lastRun: Run | null;
  trend: Run[];
  "sonde:degraded"?: string[];
}

export interface Overview {
  sources: SourceState[];
  "sonde:degraded": string[];
}

export interface Finding {
  what: string;
  count: number;
  examples: string[];
}

export interface Quality {
  records: number;
  completeness: number;
  spread: number[];
  missing: Finding[];
  repaired: Finding[];
  refused: Finding[];
  broken_links?: Finding[];
}

export function sourceCall(id: string, rest = ""): string {
  return `harvest/sources/${encodeURIComponent(id)}${rest}`;
}

export function startRun(id: string): Promise<{ run: string }> {
  return sendJson("POST", "harvest/runs", { source: id } satisfies StartBody);
}

export function setPaused(id: string, paused: boolean): Promise<SourceState> {
  return sendJson("PATCH", sourceCall(id), { paused } satisfies PauseBody);
}
