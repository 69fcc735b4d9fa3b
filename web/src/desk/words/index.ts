// The desk's words in the page's languages.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { type DeskWords, words as en } from "./en.ts";

export type { DeskWords };

export const DESK_LANGUAGES: LazyLanguages<DeskWords> = {
  en: async () => ({ words: en }),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
};

export const { Context: DeskContext, useWords: useDesk, useLoadedWords } = lazyWords(en, DESK_LANGUAGES);
