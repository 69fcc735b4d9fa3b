// The words of the basket's page in its languages; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type BasketWords = typeof en;

export const BASKET_LANGUAGES: LazyLanguages<BasketWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { Context: BasketContext, useWords: useBasketWords, useLoadedWords: useLoadedBasketWords } = lazyWords(en, BASKET_LANGUAGES);
