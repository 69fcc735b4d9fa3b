// The words of the FAIR table in the page's languages; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { type FairWords, words as en } from "./en.ts";

export type { FairWords };

export const FAIR_LANGUAGES: LazyLanguages<FairWords> = {
  en: async () => ({ words: en }),
  de: () => import("./de.ts"),
  fr: () => import("./fr.ts"),
  es: () => import("./es.ts"),
  it: () => import("./it.ts"),
  pt: () => import("./pt.ts"),
};

export const { useLoadedWords: useFairWords } = lazyWords(en, FAIR_LANGUAGES);
