// The rules of /curation, and the fields that a form for each kind has.

import { sendJson, sent } from "../api.ts";
import type { CurationChange, CurationTaken, CurationTried } from "../openapi.ts";
import type { Box, Described } from "../types.ts";

export const KINDS = ["pins", "blocks", "boosts", "synonyms", "places", "overlays"] as const;
export type Kind = (typeof KINDS)[number];

/** A rule as the service writes it; which members it has depends on its kind. */
export interface Rule {
  id: string;
  by: string;
  at: string;
  /** In a draft: the live rule is taken away. */
  removes?: boolean;
  words?: string | string[];
  record?: string;
  match?: string;
  order?: number;
  source?: string;
  boost?: number;
  language?: string;
  name?: string;
  other_names?: string[];
  bbox?: Box;
  no_place?: boolean;
  country?: string;
  title?: string;
  keywords?: string[];
  start?: string;
  end?: string;
  reason?: string;
  valid_from?: string;
  valid_until?: string;
}

export type Taken = Described<CurationTaken, { accepted: { line: number; id: string }[]; refused: { line: number; problem: string }[] }>;

export type Change = Described<
  CurationChange,
  { kind: Kind; draft: string | null; by: string; at: string; before: Partial<Rule> | null; after: Partial<Rule> | null }
>;

export type Tried = Described<CurationTried, { questions: TriedQuestion[] }>;

interface TriedQuestion {
  question: string;
  moved: { record: string; before: number | null; after: number | null }[];
  ndcg_before: number | null;
  ndcg_after: number | null;
}

export type Input = "text" | "lines" | "number" | "day" | "record" | "source" | "match" | "bbox" | "flag";

export interface Field {
  name: keyof Rule;
  input: Input;
  /** Of `fields` in the words, if it is not the member's name. */
  label?: string;
  required?: boolean;
  least?: number;
  most?: number;
  step?: number;
  longest?: number;
  hint?: string;
  wide?: boolean;
}

const REASON: Field = { name: "reason", input: "text", wide: true };
const DAYS: Field[] = [{ name: "valid_from", input: "day" }, { name: "valid_until", input: "day" }];

export const FIELDS: Record<Kind, readonly Field[]> = {
  pins: [
    { name: "words", input: "text", required: true },
    { name: "record", input: "record", required: true },
    { name: "match", input: "match" },
    { name: "order", input: "number", least: 1, most: 100, step: 1 },
    REASON,
    ...DAYS,
  ],
  blocks: [{ name: "record", input: "record" }, { name: "source", input: "source", label: "blocked_source" }, { name: "words", input: "text" }, { name: "match", input: "match" }, REASON, ...DAYS],
  boosts: [
    { name: "source", input: "source", required: true },
    { name: "boost", input: "number", least: -0.3, most: 0.3, step: 0.01, required: true },
    { name: "words", input: "text" },
    { name: "match", input: "match" },
    REASON,
    ...DAYS,
  ],
  synonyms: [
    { name: "words", input: "lines", label: "synonyms", required: true },
    { name: "language", input: "text", longest: 2 },
    REASON,
    ...DAYS,
  ],
  places: [
    { name: "name", input: "text", required: true },
    { name: "other_names", input: "lines" },
    { name: "bbox", input: "bbox" },
    { name: "no_place", input: "flag", wide: true },
    { name: "country", input: "text", longest: 2 },
    REASON,
    ...DAYS,
  ],
  overlays: [
    { name: "record", input: "record", required: true },
    { name: "title", input: "text", wide: true },
    { name: "keywords", input: "lines" },
    { name: "bbox", input: "bbox" },
    { name: "start", input: "text", hint: "instant" },
    { name: "end", input: "text", hint: "instant" },
    REASON,
  ],
};

export function isKind(text: string | undefined): text is Kind {
  return KINDS.some((kind) => kind === text);
}

export function rulesCall(kind: Kind, draft: string | null, rule?: string): string {
  const query = draft ? `?${new URLSearchParams({ draft })}` : "";
  return `curation/${kind}${rule === undefined ? "" : `/${encodeURIComponent(rule)}`}${query}`;
}

export function writeRule(kind: Kind, draft: string | null, rule: Partial<Rule>): Promise<Taken> {
  return sendJson<Taken>("POST", rulesCall(kind, draft), rule);
}

export async function removeRule(kind: Kind, draft: string | null, rule: string): Promise<void> {
  await sent(rulesCall(kind, draft, rule), { method: "DELETE" });
}

const MEDIA_TYPES: Record<string, string> = { csv: "text/csv", geojson: "application/geo+json" };

export async function importFile(kind: Kind, draft: string | null, file: File): Promise<Taken> {
  const ending = file.name.split(".").at(-1)?.toLowerCase() ?? "";
  const headers = { "Content-Type": MEDIA_TYPES[ending] ?? "application/json", Accept: "application/json" };
  const answer = await sent(rulesCall(kind, draft), { method: "POST", headers, body: file });
  return (await answer.json()) as Taken;
}

/** What a rule is about, in one line; a record is named by its title. */
export function nameOf(kind: Kind, rule: Partial<Rule>, title: (record: string) => string): string {
  if (kind === "synonyms") return [rule.words ?? []].flat().join(" = ");
  if (kind === "boosts") return rule.source ?? "";
  if (kind === "places") return [rule.name, ...(rule.other_names ?? [])].join(", ");
  if (kind === "blocks" && rule.source !== undefined) return rule.source;
  const record = rule.record === undefined ? "" : title(rule.record);
  return kind === "pins" ? `${String(rule.words ?? "")} → ${record}` : record;
}
