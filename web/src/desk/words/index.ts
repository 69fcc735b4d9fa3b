// The desk's words in the page's languages.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type DeskWords = typeof en;

export const DESK_LANGUAGES: LazyLanguages<DeskWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { Context: DeskContext, useWords: useDesk, useLoadedWords } = lazyWords(en, DESK_LANGUAGES);
