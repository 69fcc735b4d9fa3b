import assert from "node:assert/strict";
import { test } from "node:test";
import { examplesOf } from "../src/home/examples.ts";
import type { Facet } from "../src/types.ts";

function facet(...labels: string[]): Facet {
  return { parameter: "", values: labels.map((label, at) => ({ value: label, label, count: labels.length - at })), others: 0 } as unknown as Facet;
}

test("example questions join topic, place and first year; names of columns are no topics", () => {
  const facets = { variable: facet("chl_a_mg_m3", "comment, with comma", "salinity", "AEROSOL"), region: facet("Africa"), decade: facet("1990/1999") };
  assert.deepEqual(examplesOf(facets, (place) => place, (year) => `since ${year}`), ["salinity, Africa, since 1990", "aerosol, since 1990"]);
});
