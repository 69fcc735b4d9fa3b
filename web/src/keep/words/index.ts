// The words for sharing, saving and exporting a list of hits; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type KeepWords = typeof en;

export const KEEP_LANGUAGES: LazyLanguages<KeepWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { useLoadedWords: useKeepWords } = lazyWords(en, KEEP_LANGUAGES);
