import assert from "node:assert/strict";
import test from "node:test";
import { changed, unranked } from "../src/address.ts";
import { numbersIn, rounded } from "../src/words/numbers.ts";

const of = (query: string) => new URLSearchParams(query);

test("a number that is not exact has two digits, and never more than there are at least", () => {
  assert.equal(rounded(3451, "exact"), 3451);
  assert.equal(rounded(3451, "about"), 3500);
  assert.equal(rounded(3451, "at_least"), 3400);
  assert.equal(rounded(7, "about"), 7);
  assert.equal(rounded(0, "about"), 0);
});

test("a noun has the form that the language's rules ask for", () => {
  const counted = (locale: string, n: number) => numbersIn(locale).count(n, "one", "other", "many").replace(/[^a-z]/g, "");
  assert.deepEqual([0, 1, 2, 1_000_000].map((n) => counted("en", n)), ["other", "one", "other", "other"]);
  assert.deepEqual([0, 1, 2, 1_000_000].map((n) => counted("fr", n)), ["one", "one", "other", "many"]);
  assert.deepEqual([0, 1, 2, 1_000_000].map((n) => counted("es", n)), ["other", "one", "other", "many"]);
});

test("the unranked list takes any of the topic's words, and no filter that it does not know", () => {
  assert.equal(unranked(of("q=sea+ice+in+Italy&type=dataset"), "sea ice"), "collections/all/items?type=dataset&q=sea%2Cice");
  assert.equal(unranked(of("source=a"), ""), "collections/a/items");
  assert.equal(unranked(of("q=rain&keyword=x"), "rain"), null);
});

test("a new question is corrected again", () => {
  assert.equal(changed(of("q=a&spelling=off"), "q", "b").toString(), "q=b");
});
