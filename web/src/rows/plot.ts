// What of a table can be drawn: columns of numbers, against a column of times or numbers.

export interface Point {
  x: number;
  y: number;
}

const LEAST_SHARE = 0.8;
const TIME = /^\d{4}-\d\d?(-\d\d?([T ].*)?)?$/;

/** A cell as a number; NaN if it is none, or empty. */
export function numberOf(cell: string | undefined): number {
  const text = (cell ?? "").trim();
  return text === "" ? Number.NaN : Number(text);
}

/** A cell as a moment in milliseconds, UTC where it names no zone; NaN if it is none. */
export function timeOf(cell: string | undefined): number {
  const text = (cell ?? "").trim();
  if (!TIME.test(text)) return Number.NaN;
  const iso = text.replace(" ", "T");
  return Date.parse(/T/.test(iso) && !/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? `${iso}Z` : iso);
}

function isOf(read: (cell: string | undefined) => number, column: readonly string[]): boolean {
  const cells = column.filter((cell) => cell.trim() !== "");
  return cells.length > 1 && cells.filter((cell) => Number.isFinite(read(cell))).length >= cells.length * LEAST_SHARE;
}

export interface Axes {
  /** Indices of columns that can be drawn. */
  numbers: number[];
  /** Index of the first column of times, else of the first of numbers; null: nothing to draw against. */
  along: number | null;
  isTime: boolean;
}

export function axesOf(rows: readonly (readonly string[])[], columns: number): Axes {
  const columnOf = (index: number) => rows.map((row) => row[index] ?? "");
  const indices = Array.from({ length: columns }, (_, index) => index);
  const time = indices.find((index) => isOf(timeOf, columnOf(index)));
  const numbers = indices.filter((index) => index !== time && isOf(numberOf, columnOf(index)));
  const along = time ?? numbers[0] ?? null;
  return { numbers: numbers.filter((index) => index !== along), along, isTime: time !== undefined };
}

/** Ordered along x, in stretches: a row without a value ends one. Rows without an x are left out. */
export function stretchesOf(rows: readonly (readonly string[])[], { along, isTime }: Axes, column: number): Point[][] {
  if (along === null) return [];
  const read = isTime ? timeOf : numberOf;
  const points = rows.map((row) => ({ x: read(row[along]), y: numberOf(row[column]) })).filter(({ x }) => Number.isFinite(x)).sort((a, b) => a.x - b.x);
  const stretches: Point[][] = [[]];
  for (const point of points) {
    if (Number.isFinite(point.y)) stretches.at(-1)?.push(point);
    else stretches.push([]);
  }
  return stretches.filter((stretch) => stretch.length > 0);
}
