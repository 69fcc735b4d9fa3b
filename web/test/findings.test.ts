import assert from "node:assert/strict";
import test from "node:test";
import { findingText } from "../src/words/findings.ts";

test("what a harvest says is said in German", () => {
  assert.deepEqual(findingText("an extent", "de"), { text: "eine räumliche Ausdehnung" });
  assert.deepEqual(findingText("time: end # read as open", "de"), { text: "Zeit: Ende # als offen gelesen" });
  assert.deepEqual(findingText("time: #T## read as #T##", "de"), { text: "Zeit: #T## als #T## gelesen" });
  assert.deepEqual(findingText("resolution: distance # degree left out", "de"), { text: "Auflösung: Abstand # degree weggelassen" });
  assert.deepEqual(findingText("iso19139: it is not well-formed XML: Couldn't find end", "de"), {
    text: "iso19139: kein wohlgeformtes XML: Couldn't find end",
  });
});

test("what no pattern knows stays English, and says so", () => {
  assert.deepEqual(findingText("something new", "de"), { text: "something new", lang: "en" });
  assert.deepEqual(findingText("an extent", "en"), { text: "an extent" });
});
