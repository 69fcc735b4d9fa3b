// The words of the FAIR table in the page's languages; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type FairWords = typeof en;

export const FAIR_LANGUAGES: LazyLanguages<FairWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { useLoadedWords: useFairWords } = lazyWords(en, FAIR_LANGUAGES);
