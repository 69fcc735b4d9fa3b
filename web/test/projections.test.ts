import assert from "node:assert/strict";
import test from "node:test";
import { codeOf, drawable, projectionOf } from "../src/layers/projections.ts";

// Values of PROJ 9 (pyproj).
const KNOWN: [code: string, lng: number, lat: number, x: number, y: number][] = [
  ["3995", 30, 75, 819391.619, -1419227.916],
  ["3413", 30, 75, 1578206.404, -422879.131],
  ["3031", -60, -75, -1419227.916, 819391.619],
  ["3976", 100, -65, 2708465.228, -477575.496],
  ["3857", 30, 75, 3339584.724, 12932243.112],
  ["CRS84", 30, 75, 30, 75],
];

for (const [code, lng, lat, x, y] of KNOWN)
  test(`EPSG ${code} places a point as PROJ does`, () => {
    const [atX = 0, atY = 0] = projectionOf(code)?.project(lng, lat) ?? [];
    assert.ok(Math.abs(atX - x) < 0.01 && Math.abs(atY - y) < 0.01, `${atX} ${atY}`);
  });

test("a projection shows nothing beyond its end", () => {
  assert.equal(projectionOf("3857")?.project(0, 89), null);
  assert.equal(projectionOf("3031")?.project(0, 10), null);
  assert.equal(projectionOf("2154"), null);
});

test("a system is known by its number, however it is written", () => {
  const names = ["EPSG:3857", "urn:ogc:def:crs:EPSG::3857", "urn:ogc:def:crs:EPSG:6.18.3:3857", "http://www.opengis.net/def/crs/EPSG/0/3857"];
  assert.deepEqual(names.map(codeOf), names.map(() => "3857"));
  assert.deepEqual(["CRS:84", "urn:ogc:def:crs:OGC:1.3:CRS84", "http://www.opengis.net/def/crs/OGC/1.3/CRS84"].map(codeOf), ["CRS84", "CRS84", "CRS84"]);
});

test("a view is drawn in its own system where that is offered", () => {
  const codes = ["3857", "4326", "3031", "3413"];
  assert.deepEqual(drawable(codes, null), ["4326", "3857"]);
  assert.equal(drawable(codes, 1)[0], "3413");
  assert.equal(drawable(codes, -1)[0], "3031");
});
