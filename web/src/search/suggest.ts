// Suggestions while the user types. If the service has no such call, it is asked only once.

import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";

export interface Suggestion {
  text: string;
  kind: "title" | "keyword" | "place" | "short_name" | "platform" | "instrument" | "project";
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

/** Empty if the call fails: a missing suggestion must not disturb the user. */
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
