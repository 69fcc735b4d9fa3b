import assert from "node:assert/strict";
import test from "node:test";
import { formatText, licenceText } from "../src/record/glance.tsx";

test("a licence is short enough for a badge, or left out", () => {
  const cases: [string | undefined, string][] = [
    ["https://creativecommons.org/licenses/by-nc/4.0/legalcode", "CC BY-NC 4.0"],
    ["http://creativecommons.org/publicdomain/zero/1.0/", "CC0"],
    ["CC-BY-4.0", "CC BY 4.0"],
    ["MIT", "MIT"],
    ["https://example.org/terms", ""],
    ["Use of these data is subject to the conditions of the provider", ""],
    [undefined, ""],
  ];
  for (const [licence, text] of cases) assert.equal(licenceText(licence), text);
});

test("a format is its name, and a sentence is none", () => {
  assert.equal(formatText("PNG: Portable Network Graphics (PNG) (image/png)"), "PNG");
  assert.equal(formatText("NetCDF-4 (classic model)"), "NetCDF-4");
  assert.equal(formatText("Digital data sets on request from the provider"), "");
});
