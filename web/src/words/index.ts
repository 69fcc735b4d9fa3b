// The language of the page: the user's earlier choice, else the browser's, else English.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { remembered } from "../shell/memory.ts";
import { de } from "./de.ts";
import { en, type Words } from "./en.ts";

export type { Words };
export type Language = "en" | "de";

export const LANGUAGES: Record<Language, Words> = { en, de };

export const LanguageContext = createContext<Language>("en");

export function useWords(): Words {
  return LANGUAGES[useContext(LanguageContext)];
}

export function useLocale(): Language {
  return useContext(LanguageContext);
}

export function firstLanguage(): Language {
  const chosen = remembered("language");
  if (chosen === "en" || chosen === "de") return chosen;
  const spoken = navigator.languages.map((tag) => tag.slice(0, 2));
  return spoken.find((tag): tag is Language => tag === "en" || tag === "de") ?? "en";
}

/** A value of a field in the page's language if it is in a known list; else as in the metadata. */
export function valueText(field: string, value: string, words: Words): string {
  if (field === "provenance") return words.provenanceKinds[value] ?? value;
  if (field === "type") return words.types[value] ?? value;
  if (field === "theme") return words.topics[value.toLowerCase()] ?? value; // the index stores them in lower case
  return field === "region" || field === "place" ? (words.regions[value] ?? value) : value;
}
