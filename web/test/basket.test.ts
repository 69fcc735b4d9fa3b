import assert from "node:assert/strict";
import test from "node:test";
import { basketAddress, basketSearch, idsIn, MOST_IN_BASKET } from "../src/basket/basket.ts";
import { differs, rowsOf } from "../src/basket/comparedRecords.tsx";
import type { Feature } from "../src/types.ts";
import { ENGLISH } from "../src/words/index.ts";

test("what the browser stored is a list of ids, or nothing", () => {
  assert.deepEqual(idsIn('["a:1","b:2"]'), ["a:1", "b:2"]);
  for (const broken of [null, "", "{", '{"a":1}', "7"]) assert.deepEqual(idsIn(broken), []);
  assert.deepEqual(idsIn('["a:1",7,null]'), ["a:1"]);
  assert.equal(idsIn(JSON.stringify(Array.from({ length: 99 }, (_, at) => `a:${at}`))).length, MOST_IN_BASKET);
});

test("an id with a quotation mark ends no text of the filter", () => {
  assert.equal(basketSearch(["a:it's", "b:2"]).get("filter"), "id IN ('a:it''s','b:2')");
  assert.equal(basketAddress(["a:1&2", "b"]), "basket?id=a%3A1%262&id=b");
});

const feature = (properties: Feature["properties"]): Feature => ({ id: "a:1", properties });

test("a row is there if any record states its fact, and differs if their texts do", () => {
  const rows = rowsOf([feature({ type: "dataset", "sonde:edition": "1" }), feature({ type: "dataset" })], ENGLISH.words, "en");
  assert.deepEqual(rows.map(({ name, texts }) => [name, texts]), [["Type", ["data set", "data set"]], ["Version", ["1", ""]]]);
  assert.deepEqual(rows.map(differs), [false, true]);
});

test("an area that is read from the title says so", () => {
  const rows = rowsOf([feature({ "sonde:estimatedBoxes": [[10, 40, 20, 50]] })], ENGLISH.words, "en");
  assert.match(rows[0]?.texts[0] ?? "", /^10° E – 20° E, 40° N – 50° N \(area guessed from the title\)$/);
});
