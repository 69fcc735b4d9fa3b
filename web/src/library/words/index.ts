// The words of the user's own documents, beyond those of the page, in its languages.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { type OwnWords, words as en } from "./en.ts";

export type { OwnWords };

export const OWN_LANGUAGES: LazyLanguages<OwnWords> = {
  en: async () => ({ words: en }),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
};

export const { Context: OwnContext, useWords: useOwn, useLoadedWords: useLoadedOwn } = lazyWords(en, OWN_LANGUAGES);
