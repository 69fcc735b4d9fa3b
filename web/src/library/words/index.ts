// The words of the user's own documents, beyond those of the page, in its languages.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type OwnWords = typeof en;

export const OWN_LANGUAGES: LazyLanguages<OwnWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { Context: OwnContext, useWords: useOwn, useLoadedWords: useLoadedOwn } = lazyWords(en, OWN_LANGUAGES);
