import assert from "node:assert/strict";
import test from "node:test";
import { foreignLanguage, languageName, statedLanguage } from "../src/languages.ts";
import type { Feature } from "../src/types.ts";

const stating = (code?: string): Feature => ({ id: "x", properties: code === undefined ? {} : { language: { code } } });

test("a record's language is a code that browsers know, or nothing", () => {
  assert.deepEqual(["de", "ger", "de-AT", "GSW"].map((code) => statedLanguage(stating(code))), ["de", "de", "de", "gsw"]);
  for (const code of ["", "und", "zxx", "mul", "german language", "d", undefined]) assert.equal(statedLanguage(stating(code)), undefined, code);
});

test("only a language that is not the page's is named, in the page's", () => {
  assert.equal(foreignLanguage(stating("de"), "en"), "German");
  assert.equal(foreignLanguage(stating("ger"), "fr"), "allemand");
  assert.equal(foreignLanguage(stating("pt-BR"), "pt"), undefined);
  assert.equal(foreignLanguage(stating(), "pt"), undefined);
  assert.equal(languageName("qqq", "en"), undefined);
});
