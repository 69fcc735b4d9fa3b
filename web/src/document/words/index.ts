// The words of the viewer of PDFs in its languages; they are loaded only when it is opened.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type PdfWords = typeof en;

export const PDF_LANGUAGES: LazyLanguages<PdfWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { useLoadedWords: usePdfWords } = lazyWords(en, PDF_LANGUAGES);
