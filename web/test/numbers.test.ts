import assert from "node:assert/strict";
import test from "node:test";
import { changed, unranked } from "../src/address.ts";
import { roundedText } from "../src/words/numbers.ts";

const of = (query: string) => new URLSearchParams(query);

test("a number that is not exact has two digits, and never more than there are at least", () => {
  assert.equal(roundedText(3451, "exact", "en"), "3,451");
  assert.equal(roundedText(3451, "about", "en"), "3,500");
  assert.equal(roundedText(3451, "at_least", "en"), "3,400");
  assert.equal(roundedText(7, "about", "en"), "7");
});

test("the unranked list takes any of the topic's words, and no filter that it does not know", () => {
  assert.equal(unranked(of("q=sea+ice+in+Italy&type=dataset"), "sea ice"), "collections/all/items?type=dataset&q=sea%2Cice");
  assert.equal(unranked(of("source=a"), ""), "collections/a/items");
  assert.equal(unranked(of("q=rain&keyword=x"), "rain"), null);
});

test("a new question is corrected again", () => {
  assert.equal(changed(of("q=a&spelling=off"), "q", "b").toString(), "q=b");
});
