// File sizes as text.

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
