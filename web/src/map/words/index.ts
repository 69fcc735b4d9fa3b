// The words of the map in its languages; they are loaded with it.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type MapWords = typeof en;

export const MAP_LANGUAGES: LazyLanguages<MapWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { Context: MapContext, useWords: useMapWords, useLoadedWords: useLoadedMapWords } = lazyWords(en, MAP_LANGUAGES);
