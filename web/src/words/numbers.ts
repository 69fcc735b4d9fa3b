// Numbers in a language, for its words.

import type { TotalRelation } from "../types.ts";

/** Two significant digits if the number is not exact, rounded down for "at least". */
export function rounded(n: number, relation: TotalRelation): number {
  if (relation === "exact" || n === 0) return n;
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
  return (relation === "at_least" ? Math.floor(n / unit) : Math.round(n / unit)) * unit;
}

/** What the words of a language need to write numbers. */
export function numbersIn(locale: string) {
  const rules = new Intl.PluralRules(locale);
  const whole = (n: number) => n.toLocaleString(locale);
  const count = (n: number, one: string, other: string, many = other) => {
    const form = rules.select(n);
    return `${whole(n)} ${form === "one" ? one : form === "many" ? many : other}`;
  };
  const percent = (share: number, digits: number) => share.toLocaleString(locale, { style: "percent", maximumSignificantDigits: digits });
  return {
    whole,
    decimal: (n: number | null | undefined, digits: number) =>
      (n ?? 0).toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    percent,
    /** A share in whole percent; `less` puts a share below 1 % into words, `so` the others. */
    share: (value: number | undefined, less: (least: string) => string, so = (text: string) => text) =>
      (value ?? 0) < 0.01 ? less(percent(0.01, 1)) : so((value ?? 0).toLocaleString(locale, { style: "percent" })),
    /** A number and its noun; `many` is for whole millions, which Romance languages count as "millions of". */
    count,
    /** The same for several words, each in one form or in two. */
    counts: (forms: Record<string, string | readonly [one: string, other: string]>) =>
      Object.fromEntries(
        Object.entries(forms).map(([name, form]) => [name, (n: number) => (typeof form === "string" ? `${whole(n)} ${form}` : count(n, ...form))]),
      ),
  };
}
