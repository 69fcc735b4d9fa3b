// Translates the findings of a harvest: the service writes them in English, in a small number of patterns.

import type { Words } from "./index.ts";
import { words as english } from "./made/en.ts";

export interface Said {
  text: string;
  /** The language of the text, if it differs from the page's. */
  lang?: "en";
}

type Key = keyof Words["findings"];
type Tail = keyof Words["findingTails"];
type Finding = string | ((v: Parts) => string);
/** What the findings tell of, in the order of the English text. */
type Parts = Record<1 | 2 | 3, string>;

const PART = "\0";
/** `time: {1} read as {2}` as an expression; earlier patterns precede more general ones. */
const PATTERNS = (Object.keys(english.findings) as Key[]).map((key) => {
  const template = filled(english.findings[key], { 1: PART, 2: PART, 3: PART });
  return [key, new RegExp(`^${template.split(PART).map(escaped).join("(.+)")}$`)] as const;
});
const TAILS = Object.entries(english.findingTails) as [Tail, string][];
/** A finding can start with its format: "iso19139: it is ...". */
const FORMAT = /^[\w.-]+: (?=(it|its|the document) )/;

/** The finding in the page's language; unchanged if no pattern matches. */
export function findingText(what: string, words: Words): Said {
  if (words === english) return { text: what };
  const text = translated(what, words);
  return text === null ? { text: what, lang: "en" } : { text };
}

function translated(what: string, words: Words): string | null {
  const tail = TAILS.find(([, text]) => what.endsWith(text));
  if (tail) {
    const before = translated(what.slice(0, -tail[1].length), words);
    return before === null ? null : before + words.findingTails[tail[0]];
  }
  const head = FORMAT.exec(what)?.[0] ?? "";
  const rest = what.slice(head.length);
  for (const [key, pattern] of PATTERNS) {
    const found = pattern.exec(rest);
    // A part can be a finding itself: "no reader knows this format: it is a web page, not metadata".
    const [one = "", two = "", three = ""] = (found ?? []).slice(1).map((text) => partOf(text, words));
    if (found) return head + filled(words.findings[key], { 1: one, 2: two, 3: three });
  }
  return null;
}

function filled(message: Finding, parts: Parts): string {
  return typeof message === "string" ? message : message(parts);
}

function partOf(text: string, words: Words): string {
  return text.startsWith("it") ? (translated(text, words) ?? text) : text;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
