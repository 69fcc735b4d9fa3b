import assert from "node:assert/strict";
import test from "node:test";
import { flatRing, unwrapped } from "../src/map/rings.ts";
import { binsOf, durationText, edgeText, histogram, shownYears } from "../src/times.ts";
import type { Feature } from "../src/types.ts";

const during = (...times: [string | null, string | null][]): Feature => ({ id: "x", properties: { "sonde:times": times } });

test("a record counts in every stretch that it reaches into, once", () => {
  const features = [during(["2000-01-01", "2001-12-31"], ["2001-01-01", "2001-06-01"]), during(["2001-01-01", null])];
  assert.deepEqual(histogram(features, [2000, 2002]), [
    { from: 2000, to: 2000, count: 1 },
    { from: 2001, to: 2001, count: 2 },
    { from: 2002, to: 2002, count: 1 },
  ]);
});

test("ice cores do not stretch the years that are shown", () => {
  assert.deepEqual(shownYears([during(["-799050-01-01", "1950-01-01"])], [null, null], 2026), [1850, 2026]);
});

test("there are never more than 37 stretches", () => {
  for (const first of [2020, 1990, 1900, 1850]) assert.ok(histogram([], [first, 2026]).length <= 37);
});

test("an edge is as exact as it needs to be", () => {
  assert.equal(edgeText("1990-01-01T00:00:00Z", "en", false), "1990");
  assert.equal(edgeText("1990-12-31T23:59:59Z", "en", true), "1990");
  assert.equal(edgeText("2015-09-01T00:00:00Z", "en", false), "Sep 1, 2015");
  assert.equal(edgeText("-799050-01-01T00:00:00Z", "en", false), "-799050");
  assert.equal(edgeText("..", "en", true), null);
});

test("durations of one unit are words", () => {
  assert.equal(durationText("P5D", "en"), "5 days");
  assert.equal(durationText("PT1H", "de"), "1 Stunde");
  assert.equal(durationText("P1Y2M", "en"), "P1Y2M");
});

test("a line over the antimeridian goes on, and a ring around the pole is closed there", () => {
  assert.deepEqual(unwrapped([[170, 60], [-175, 61], [175, 62]]), [[170, 60], [185, 61], [175, 62]]);
  assert.deepEqual(flatRing([[-180, -70], [-60, -70], [60, -70], [180, -70]]), [
    [-180, -70], [-60, -70], [60, -70], [180, -70], [180, -90], [-180, -90],
  ]);
  assert.deepEqual(flatRing([[0, 0], [1, 0], [1, 1], [0, 0]]), [[0, 0], [1, 0], [1, 1], [0, 0]]);
});

test("all matches are counted by decade, and by year around a short period", () => {
  const facet = (...values: [string, number][]) => ({ parameter: "datetime", others: 0, values: values.map(([value, count]) => ({ value, label: value, count })) });
  const decades = facet(["../1849", 1], ["1990/1999", 4], ["2000/2009", 7]);
  const years = facet(["1999/1999", 2], ["2001/2001", 5]);
  const whole = binsOf(decades, years, [null, null], 2012);
  assert.deepEqual(whole.filter((one) => one.count), [{ from: 1990, to: 1999, count: 4 }, { from: 2000, to: 2009, count: 7 }]);
  assert.equal(whole.at(-1)?.to, 2012);
  const close = binsOf(decades, years, [2000, 2001], 2012);
  assert.deepEqual([close[0]?.from, close.at(-1)?.from], [1995, 2006]);
  assert.deepEqual(close.filter((one) => one.count).map((one) => [one.from, one.count]), [[1999, 2], [2001, 5]]);
  assert.deepEqual(binsOf(decades, null, [2000, 2001], 2012), whole, "an older index counts no years");
});
