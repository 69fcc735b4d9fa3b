// Sizes of files, lengths and scales as text.

const STEPS = [
  ["gigabyte", 1e9],
  ["megabyte", 1e6],
  ["kilobyte", 1e3],
] as const;

/** `1,234,567` bytes as `1.2 MB`. */
export function bytesText(bytes: number, locale: string): string {
  const [unit, size] = STEPS.find(([, one]) => bytes >= one) ?? ["byte", 1];
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(bytes / size);
}

/** `30 m`, `27.8 km`: with at most this many significant digits. */
export function lengthText(metres: number, locale: string, digits = 3): string {
  const [unit, size] = metres >= 1000 ? (["kilometer", 1000] as const) : (["meter", 1] as const);
  return new Intl.NumberFormat(locale, { style: "unit", unit, maximumSignificantDigits: digits }).format(metres / size);
}

/** `1 : 50,000`. */
export function scaleText(denominator: number, locale: string): string {
  return `1 : ${denominator.toLocaleString(locale)}`;
}
