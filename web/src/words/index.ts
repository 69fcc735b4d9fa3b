// The language of the page, and the place where its languages are listed.

import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { remembered } from "../shell/memory.ts";
import { words as en } from "./made/en.ts";

export type Words = typeof en;

interface Listed {
  /** In the language itself. */
  name: string;
  load: () => Promise<{ words: Words; same?: readonly string[] }>;
}

/** Each language is a file and a line here; only the one that is shown is loaded. */
export const LANGUAGES = {
  en: { name: "English", load: async () => ({ words: en }) },
  de: { name: "Deutsch", load: () => import("./made/de.ts") },
  fr: { name: "Français", load: () => import("./made/fr.ts") },
  es: { name: "Español", load: () => import("./made/es.ts") },
  it: { name: "Italiano", load: () => import("./made/it.ts") },
  pt: { name: "Português", load: () => import("./made/pt.ts") },
} satisfies Record<string, Listed>;

export type Language = keyof typeof LANGUAGES;

/** A language whose words are loaded. */
export interface Spoken {
  language: Language;
  words: Words;
}

/** Throws if the words cannot be loaded. */
export async function spoken(language: Language): Promise<Spoken> {
  return { language, words: (await LANGUAGES[language].load()).words };
}

export const ENGLISH: Spoken = { language: "en", words: en };

export const SpokenContext = createContext<Spoken>(ENGLISH);

export function useWords(): Words {
  return useContext(SpokenContext).words;
}

/** For Intl. */
export function useLocale(): Language {
  return useContext(SpokenContext).language;
}

/** The user's choice, else that of the address (`?lang=`), else the first of the browser's languages, else English. */
export function firstLanguage(): Language {
  return languageOf([remembered("language"), new URLSearchParams(location.search).get("lang"), ...navigator.languages]);
}

/** The first of the tags (`pt-BR`) that names a language of the page; English if none does. */
export function languageOf(tags: readonly (string | null)[]): Language {
  const codes = tags.map((tag) => (tag ?? "").toLowerCase().split("-")[0] ?? "");
  return codes.find((code): code is Language => Object.hasOwn(LANGUAGES, code)) ?? "en";
}

/** A value of a field in the page's language if it is in a known list; else as in the metadata. */
export function valueText(field: string, value: string, words: Words): string {
  if (field === "provenance") return words.provenanceKinds[value] ?? value;
  if (field === "type") return words.types[value] ?? value;
  if (field === "theme") return words.topics[value.toLowerCase()] ?? value; // the index stores them in lower case
  return field === "region" || field === "place" ? (words.regions[value] ?? value) : value;
}
