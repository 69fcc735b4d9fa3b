// The words of the FAIR table in the page's languages; they are loaded only when it is opened.

import { useEffect, useState } from "preact/hooks";
import type { Language } from "../../words/index.ts";
import { type FairWords, words as en } from "./en.ts";

export type { FairWords };

export const FAIR_LANGUAGES: Partial<Record<Language, () => Promise<{ words: FairWords; same?: readonly string[] }>>> = {
  en: async () => ({ words: en }),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
};

/** Null until they are loaded; English if they cannot be, or if the language has none. */
export function useFairWords(language: Language): FairWords | null {
  const [words, setWords] = useState<FairWords | null>(null);
  useEffect(() => {
    const load = FAIR_LANGUAGES[language];
    Promise.resolve(load?.())
      .then((loaded) => loaded?.words ?? en)
      .catch(() => en)
      .then(setWords);
  }, [language]);
  return words;
}
