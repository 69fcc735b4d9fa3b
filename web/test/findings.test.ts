import assert from "node:assert/strict";
import test from "node:test";
import { words as de } from "../src/words/made/de.ts";
import { words as en } from "../src/words/made/en.ts";
import { findingText } from "../src/words/findings.ts";
import { words as pt } from "../src/words/made/pt.ts";

test("what a harvest says is said in German", () => {
  assert.deepEqual(findingText("an extent", de), { text: "eine räumliche Ausdehnung" });
  assert.deepEqual(findingText("time: end # read as open", de), { text: "Zeit: Ende # als offen gelesen" });
  assert.deepEqual(findingText("time: #T## read as #T##", de), { text: "Zeit: #T## als #T## gelesen" });
  assert.deepEqual(findingText("resolution: distance # degree left out", de), { text: "Auflösung: Abstand # degree weggelassen" });
  assert.deepEqual(findingText("iso19139: it is not well-formed XML: Couldn't find end", de), {
    text: "iso19139: kein wohlgeformtes XML: Couldn't find end",
  });
});

test("a finding may stand in another one, and may end with what became of the record", () => {
  assert.deepEqual(findingText("no reader knows this format: it is a web page, not metadata; it is not in the index (and others like it)", pt), {
    text: "nenhum leitor conhece este formato: é uma página web, não metadados; não está no índice (e outros semelhantes)",
  });
  assert.deepEqual(findingText("xml: bytes that are not UTF# were read as Windows#", de), { text: "XML: Bytes, die kein UTF# sind, wurden als Windows# gelesen" });
  assert.deepEqual(findingText("dates: 1990s read as 1990/1999, which is doubtful", de), { text: "Datum: 1990s als 1990/1999 gelesen, das ist zweifelhaft" });
});

test("what no pattern knows stays English, and says so", () => {
  assert.deepEqual(findingText("something new", de), { text: "something new", lang: "en" });
  assert.deepEqual(findingText("an extent", en), { text: "an extent" });
});
