import assert from "node:assert/strict";
import test from "node:test";
import { periodText } from "../src/search/periodText.ts";
import { words as de } from "../src/words/made/de.ts";
import { words as en } from "../src/words/made/en.ts";

test("a period is said in words", () => {
  assert.equal(periodText("1990-01-01/..", en, "en"), "since 1990");
  assert.equal(periodText("1990-01-01/..", de, "de"), "seit 1990");
  assert.equal(periodText("../2000-12-31", en, "en"), "until 2000");
  assert.equal(periodText("1990/2000", en, "en"), "1990 to 2000");
  assert.equal(periodText("1990-02-03/2000-12-31", en, "en"), "Feb 3, 1990 to 2000");
  assert.equal(periodText("1990", en, "en"), "1990");
});

test("a month stays as it was written", () => {
  assert.equal(periodText("1990-05/..", en, "en"), "since 1990-05");
  assert.equal(periodText("../..", en, "en"), "../..");
});
