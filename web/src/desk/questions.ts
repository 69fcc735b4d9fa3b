// The answers of /insight.

import type { InsightSummary } from "../openapi.ts";
import type { Described } from "../types.ts";

export const VIEWS = ["asked", "not_found", "not_opened", "slow"] as const;
export type View = (typeof VIEWS)[number];

export interface Question {
  question: string;
  asked: number;
  people: number;
  opened: number;
  not_found: number;
  median_ms: number;
  records: Record<string, number>;
}

export interface Questions {
  questions: Question[];
  hidden: { questions: number; asked: number };
}

export interface Moment {
  from: string;
  asked: number;
  not_found: number;
  opened: number;
  median_ms: number;
}

export type Summary = Described<
  InsightSummary,
  { not_found?: number; opened?: number; median_ms?: number; over_time: Moment[]; by: Record<string, { value: string | number; asked: number }[]> }
>;

const SLICE = ["language", "place", "decade"];
export const PERIODS = ["7", "30", "90", "0"];
export const USUAL_PERIOD = "30";

export function daysOf(query: URLSearchParams): string {
  const days = query.get("days") ?? USUAL_PERIOD;
  return PERIODS.includes(days) ? days : USUAL_PERIOD;
}

/** The parameters of a call, of those in the page's address. */
export function sliceOf(query: URLSearchParams): URLSearchParams {
  const kept = new URLSearchParams([...query].filter(([name, value]) => SLICE.includes(name) && value !== ""));
  const days = Number(daysOf(query));
  if (days > 0) kept.set("since", new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10));
  return kept;
}

export function viewOf(query: URLSearchParams): View {
  return VIEWS.find((one) => one === query.get("view")) ?? "asked";
}

export function questionsCall(query: URLSearchParams): string {
  const asked = sliceOf(query);
  asked.set("view", viewOf(query));
  asked.set("limit", "200");
  return `insight/queries?${asked}`;
}

export function summaryCall(query: URLSearchParams): string {
  const asked = sliceOf(query);
  const days = Number(daysOf(query));
  asked.set("interval", days === 0 ? "month" : days > 31 ? "week" : "day");
  return `insight/summary?${asked}`;
}

/** The page's address with one of its parameters changed. */
export function changedQuery(query: URLSearchParams, name: string, value: string): string {
  const now = new URLSearchParams(query);
  if (value) now.set(name, value);
  else now.delete(name);
  return `desk/questions?${now}`;
}
