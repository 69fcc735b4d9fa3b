// Words of a part of the page that are loaded only with it; a language without them has English ones.

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { Language } from "./index.ts";

export type LazyLanguages<T> = Partial<Record<Language, () => Promise<{ words: T; same?: readonly string[] }>>>;

export function lazyWords<T>(english: T, languages: LazyLanguages<T>) {
  const Context = createContext<T>(english);
  return {
    Context,
    useWords: (): T => useContext(Context),
    /** Null until they are loaded; English if they cannot be. */
    useLoadedWords(language: Language): T | null {
      const [words, setWords] = useState<T | null>(null);
      useEffect(() => {
        const load = languages[language] ?? (async () => ({ words: english }));
        void load()
          .then((loaded) => loaded.words)
          .catch(() => english)
          .then((loaded) => setWords(() => loaded));
      }, [language]);
      return words;
    },
  };
}
