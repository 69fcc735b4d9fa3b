// The desk's words in the page's languages; a language without them has English ones.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Language } from "../../words/index.ts";
import { type DeskWords, words as en } from "./en.ts";

export type { DeskWords };

interface Loaded {
  words: DeskWords;
  same?: readonly string[];
}

export const DESK_LANGUAGES: Partial<Record<Language, () => Promise<Loaded>>> = {
  en: async () => ({ words: en }),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
};

/** Null until they are loaded; English if they cannot be. */
export function useLoadedWords(language: Language): DeskWords | null {
  const [words, setWords] = useState<DeskWords | null>(null);
  useEffect(() => {
    void deskWords(language)
      .catch(() => en)
      .then(setWords);
  }, [language]);
  return words;
}

/** Throws if they cannot be loaded. */
async function deskWords(language: Language): Promise<DeskWords> {
  return (await DESK_LANGUAGES[language]?.())?.words ?? en;
}

export const DeskContext = createContext<DeskWords>(en);

export function useDesk(): DeskWords {
  return useContext(DeskContext);
}
