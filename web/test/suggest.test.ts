import assert from "node:assert/strict";
import test from "node:test";
import { listed } from "../src/search/suggest.ts";

const SAID = {
  keywords: [{ term: "TRMM > TROPICAL RAINFALL MEASURING MISSION" }, { term: "Rainfall" }, { term: "snow" }],
  titles: [{ title: "Rainfall of Kenya", id: "a:1" }, { title: "A rainforest", id: "a:2" }],
};

test("words come first, the most frequent before the others, and no keyword twice", () => {
  const texts = listed(SAID, "Rainf").map(({ text, kind }) => `${kind} ${text}`);
  assert.deepEqual(texts, ["word rainfall", "word rainforest", "keyword tropical rainfall measuring mission", "keyword snow", "title Rainfall of Kenya", "title A rainforest"]);
});

test("the last word is completed, those before it stay", () => {
  assert.deepEqual(listed(SAID, "daily rainf").slice(0, 1), [{ text: "daily rainfall", kind: "word" }]);
  assert.equal(listed(SAID, "daily ").some(({ kind }) => kind === "word"), false);
  assert.equal(listed(SAID, "ra").some(({ kind }) => kind === "word"), false);
});
