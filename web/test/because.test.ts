import assert from "node:assert/strict";
import { test } from "node:test";
import { becauseText } from "../src/search/because.ts";
import type { Feature, Reason } from "../src/types.ts";
import { words } from "../src/words/made/en.ts";

function hit(reasons: Record<string, Reason[]>, rest: Partial<Feature> = {}): Feature {
  const signals = Object.entries(reasons).map(([signal, own]) => ({ signal, raw: 1, normalised: 1, weight: 1, contribution: 1, reason: "", reasons: own }));
  return { id: "a:b", properties: {}, "sonde:explanation": { signals, ordered_by: "fused" }, ...rest };
}

const said = (feature: Feature) => becauseText(feature, words, "en");

test("place, period and resolution make a sentence", () => {
  const properties = { "sonde:times": [["1981-01-01T00:00:00Z", null]] as [string, null][], "sonde:resolution": { metres: 5565.975 } };
  const covers = { code: "covers_place", place: "Southern Africa", share: 1 };
  assert.equal(said(hit({ spatial: [covers] }, { properties })), "Covers all of Southern Africa, since 1981, 5.6 km");
});

test("a part is never said to be all, and never nothing", () => {
  assert.equal(said(hit({ spatial: [{ code: "covers_place", place: "Italy", share: 0.9949 }] })), "Covers 99 % of Italy");
  assert.equal(said(hit({ spatial: [{ code: "covers_place", place: null, share: 0.0002 }] })), "Covers 1 % of the area you asked for");
});

test("without an asked place the words count, then the meaning", () => {
  const highlights = { title: ["Monthly <em>Rainfall</em> and <em>rainfall</em>"], abstract: ["<em>rain</em>"] };
  assert.equal(said(hit({ dense: [{ code: "cosine" }] }, { "sonde:highlights": highlights })), "Rainfall in the title");
  assert.equal(said(hit({ dense: [{ code: "cosine" }] })), "Close in meaning");
  assert.equal(said(hit({ spatial: [{ code: "unknown" }], dense: [] })), "");
});

test("an area that the question describes, and a box around an ocean, are said as such", () => {
  const around = { code: "covers_place", place: "within 100 km of Denver", described: true, share: 1 };
  assert.equal(said(hit({ spatial: [around] })), "Covers all of the area you asked for (within 100 km of Denver)");
  assert.equal(said(hit({ spatial: [{ code: "inside_place", place: "Pacific Ocean", rough: true }] })), "Lies in the box around Pacific Ocean");
});

test("a record of another time says so", () => {
  const properties = { "sonde:times": [["1994-01-01T00:00:00Z", "2004-12-31T23:59:59.999Z"]] as [string, string][] };
  const covers = { code: "covers_place", place: "Svalbard", share: 1 };
  const sentence = "Covers all of Svalbard, outside the period you asked for: 1994 to 2004";
  assert.equal(said(hit({ spatial: [covers], temporal: [{ code: "outside_period", start: "2100-01-01", end: "2100-12-31" }] }, { properties })), sentence);
  assert.equal(said(hit({ temporal: [{ code: "covers_period", share: 1 }] }, { properties })), "1994 to 2004");
});
