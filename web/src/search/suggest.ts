// Suggestions while a question is typed. A service without that call is asked once and then left alone.

import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";

export interface Suggestion {
  text: string;
  kind: "title" | "keyword" | "place" | "short_name" | "platform" | "instrument" | "project";
  /** Of a record, where choosing it leads to its page. */
  id?: string;
}

interface Said {
  titles?: { title: string; id: string }[];
  keywords?: { term: string }[];
  places?: { name: string }[];
  names?: { name: string; kind: "short_name" | "platform" | "instrument" | "project" }[];
}

const LEAST_CHARACTERS = 2;
const PAUSE_MS = 120;
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

/** Nothing where the call fails: a suggestion that does not come is no reason to disturb somebody who types. */
async function load(begun: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  try {
    const said = await getIfThere<Said>(`suggest?${new URLSearchParams({ q: begun, limit: String(MOST_OF_A_KIND) })}`, signal);
    if (said === null) offered = false;
    return said === null ? [] : listed(said);
  } catch {
    return [];
  }
}

function listed({ keywords = [], places = [], titles = [], names = [] }: Said): Suggestion[] {
  return [
    ...names.map(({ name, kind }): Suggestion => ({ text: name, kind })),
    ...keywords.map(({ term }): Suggestion => ({ text: term, kind: "keyword" })),
    ...places.map(({ name }): Suggestion => ({ text: name, kind: "place" })),
    ...titles.map(({ title, id }): Suggestion => ({ text: title, kind: "title", id })),
  ];
}
