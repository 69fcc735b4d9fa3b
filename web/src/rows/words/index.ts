// The words of the look into the data in its languages; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type RowsWords = typeof en;

export const ROWS_LANGUAGES: LazyLanguages<RowsWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { useLoadedWords: useRowsWords } = lazyWords(en, ROWS_LANGUAGES);
