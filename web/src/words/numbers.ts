// Formats numbers for people.

import type { TotalRelation } from "../types.ts";

/** Two significant digits if the number is not exact, rounded down for "at least". */
export function roundedText(n: number, relation: TotalRelation, locale: string): string {
  if (relation === "exact") return n.toLocaleString(locale);
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
  const units = relation === "at_least" ? Math.floor(n / unit) : Math.round(n / unit);
  return (units * unit).toLocaleString(locale);
}
