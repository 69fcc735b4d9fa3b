// The words of the layers of a record in their languages; they are loaded only when these are opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type LayerWords = typeof en;

export const LAYER_LANGUAGES: LazyLanguages<LayerWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { useLoadedWords: useLayerWords } = lazyWords(en, LAYER_LANGUAGES);
