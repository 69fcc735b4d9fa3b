// The language that a record states for its own texts.

import type { Feature } from "./types.ts";

const NO_LANGUAGE = ["und", "mul", "mis", "zxx"];

/** For `lang`: `de` also for `ger`. Undefined if the record states none. */
export function statedLanguage({ properties }: Feature): string | undefined {
  try {
    const { language } = new Intl.Locale(properties.language?.code ?? "");
    return NO_LANGUAGE.includes(language) ? undefined : language;
  } catch {
    return undefined; // no language, or no code of one
  }
}

/** The name of a record's language in the page's language; undefined if it is the page's own, or has no name. */
export function foreignLanguage(feature: Feature, locale: string): string | undefined {
  const code = statedLanguage(feature);
  return code === undefined || code === locale ? undefined : languageName(code, locale);
}

export function languageName(code: string, locale: string): string | undefined {
  return new Intl.DisplayNames(locale, { type: "language", fallback: "none" }).of(code);
}
