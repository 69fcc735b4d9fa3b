// The style sheets take their spaces and sizes of text from the scales in base.css.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const FOLDER = "src/styles/"; // test.mjs runs in web/
const SHEETS = readdirSync(FOLDER).filter((name) => name !== "print.css");
const SPACE = /(?<![\w-])(?:margin|padding|(?:row-|column-)?gap)(?:-(?:block|inline|top|right|bottom|left)(?:-(?:start|end))?)?:\s*([^;}]+)/g;
const TEXT = /(?<![\w-])font-size:\s*([^;}]+)/g;
/** A hair's breadth that joins borders, and what grows with the letters, is no space of the scale. */
const LOOSE = /\d(?:rem|vw|pt)\b|(?<![\d.])(?:[2-9]|\d\d+)px/;

function values(pattern: RegExp): [sheet: string, value: string][] {
  return SHEETS.flatMap((name) => [...readFileSync(FOLDER + name, "utf8").matchAll(pattern)].map(([, value = ""]): [string, string] => [name, value]));
}

test("spaces are of one scale", () => {
  const spaces = values(SPACE);
  assert.ok(spaces.length > 200);
  assert.deepEqual(spaces.filter(([, value]) => LOOSE.test(value)), []);
});

test("sizes of text are of one scale", () => {
  const sizes = values(TEXT);
  assert.ok(sizes.length > 20);
  assert.deepEqual(sizes.filter(([, value]) => /rem/.test(value) && value.trim() !== "1rem"), []); // the body's
});
