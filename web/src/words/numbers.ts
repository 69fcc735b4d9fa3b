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
  return {
    whole,
    decimal: (n: number, digits: number) => n.toLocaleString(locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }),
    /** A number and its noun; `many` is for whole millions, which Romance languages count as "millions of". */
    count: (n: number, one: string, other: string, many = other) => {
      const form = rules.select(n);
      return `${whole(n)} ${form === "one" ? one : form === "many" ? many : other}`;
    },
    /** By the number itself (`=0`), else by its form. */
    plural: (n: number, forms: Forms) => forms[`=${n}`] ?? forms[rules.select(n)] ?? forms.other,
  };
}

type Forms = { other: string } & Record<string, string>;

export function select(value: string, forms: Forms): string {
  return Object.hasOwn(forms, value) ? (forms[value] ?? forms.other) : forms.other;
}
