// The words of the sign-in in its languages; they are loaded only when somebody needs it.

import { type LazyLanguages, lazyWords } from "../../words/lazy.ts";
import { words as en } from "./made/en.ts";

export type SignInWords = typeof en;

export const SIGN_IN_LANGUAGES: LazyLanguages<SignInWords> = {
  en: async () => ({ words: en }),
  de: () => import("./made/de.ts"),
  fr: () => import("./made/fr.ts"),
  es: () => import("./made/es.ts"),
  it: () => import("./made/it.ts"),
  pt: () => import("./made/pt.ts"),
};

export const { Context: SignInContext, useWords: useSignInWords, useLoadedWords: useLoadedSignInWords } = lazyWords(en, SIGN_IN_LANGUAGES);
