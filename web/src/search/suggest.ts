// Suggestions while the user types. If the service has no such call, it is asked only once.

import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";

export interface Suggestion {
  text: string;
  kind: "word" | "title" | "keyword" | "place" | "short_name" | "platform" | "instrument" | "project";
  /** The page of a record, if the suggestion is one. */
  id?: string;
}

interface Said {
  titles?: { title: string; id: string }[];
  keywords?: { term: string }[];
  places?: { name: string }[];
  names?: { name: string; kind: "short_name" | "platform" | "instrument" | "project" }[];
}

const LEAST_CHARACTERS = 2;
const LEAST_OF_WORD = 3;
const PAUSE_MS = 120;
/** More than are shown: words are counted in them. */
const ASKED = 10;
const MOST_OF_A_KIND = 3;

let offered = true;

export function useSuggestions(text: string): readonly Suggestion[] {
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([]);
  const begun = text.trim();
  useEffect(() => {
    setSuggestions([]);
    if (!offered || begun.length < LEAST_CHARACTERS) return undefined;
    const stop = new AbortController();
    const timer = setTimeout(() => void load(begun, stop.signal).then(setSuggestions), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [begun]);
  return suggestions;
}

/** Empty if the call fails: a missing suggestion must not disturb the user. */
async function load(begun: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  try {
    const said = await getIfThere<Said>(`suggest?${new URLSearchParams({ q: begun, limit: String(ASKED) })}`, signal);
    if (said === null) offered = false;
    return said === null ? [] : listed(said, begun);
  } catch {
    return [];
  }
}

/** The words first: they are what most people type on. */
export function listed({ keywords = [], places = [], titles = [], names = [] }: Said, begun: string): Suggestion[] {
  const terms = [...new Set(keywords.map(({ term }) => lastStep(term)))];
  const words = wordsFrom(begun, [...terms, ...titles.map(({ title }) => title)]).map((text): Suggestion => ({ text, kind: "word" }));
  return [
    ...words,
    ...names.slice(0, MOST_OF_A_KIND).map(({ name, kind }): Suggestion => ({ text: name, kind })),
    ...terms.filter((term) => !words.some(({ text }) => text === term.toLowerCase())).slice(0, MOST_OF_A_KIND).map((text): Suggestion => ({ text, kind: "keyword" })),
    ...places.slice(0, MOST_OF_A_KIND).map(({ name }): Suggestion => ({ text: name, kind: "place" })),
    ...titles.slice(0, MOST_OF_A_KIND).map(({ title, id }): Suggestion => ({ text: title, kind: "title", id })),
  ];
}

const MOST_WORDS = 2;

/** What was typed with its last word completed to words of the texts, the most frequent first. */
function wordsFrom(begun: string, texts: readonly string[]): string[] {
  const [, before = "", start = ""] = /^(.*?)([\p{L}\p{N}-]+)$/u.exec(begun.toLowerCase()) ?? [];
  if (start.length < LEAST_OF_WORD) return [];
  const counts = new Map<string, number>();
  for (const text of texts) {
    for (const word of new Set(text.toLowerCase().match(/[\p{L}\p{N}-]+/gu))) {
      if (word.startsWith(start) && word !== start) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  return [...counts].sort(([a, many], [b, more]) => more - many || a.length - b.length).slice(0, MOST_WORDS).map(([word]) => before + word);
}

/** Of a path of keywords: `EARTH SCIENCE > ATMOSPHERE > RAINFALL`. */
function lastStep(term: string): string {
  const last = term.split(" > ").at(-1) ?? term;
  return last === term ? term : last.toLowerCase();
}
