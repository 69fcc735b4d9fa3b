// The words for sharing, saving and exporting a list of hits; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { type KeepWords, words as en } from "./en.ts";

export type { KeepWords };

export const KEEP_LANGUAGES: LazyLanguages<KeepWords> = {
  en: async () => ({ words: en }),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
};

export const { useLoadedWords: useKeepWords } = lazyWords(en, KEEP_LANGUAGES);
