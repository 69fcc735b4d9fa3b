import assert from "node:assert/strict";
import test from "node:test";
import { circleOf, distanceKm, ringOfCircle, ringOfRings, ringOfText, textOfRing, wktOfRing } from "../src/map/areas.ts";
import { ringsOfArea } from "../src/map/geometries.ts";
import { polarView } from "../src/map/views.ts";

test("a circle lies that far from its centre and comes back from the address", () => {
  for (const [centre, radiusKm] of [[[48, 11], 100], [[-33.4, 151.2], 5], [[70, 20], 800], [[0, 0], 2500]] as const) {
    const ring = ringOfCircle({ centre: [centre[0], centre[1]], radiusKm });
    for (const corner of ring) assert.ok(Math.abs(distanceKm([centre[0], centre[1]], corner) - radiusKm) < 0.01);
    const circle = circleOf(ringOfRings(ringsOfArea(wktOfRing(ring) ?? "")) ?? []);
    assert.ok(circle && Math.abs(circle.radiusKm - radiusKm) < radiusKm / 100 + 0.05, `${centre} ${radiusKm} ${circle?.radiusKm}`);
    assert.ok(distanceKm(circle.centre, [centre[0], centre[1]]) < radiusKm / 10);
  }
});

test("a ring over the antimeridian is in two parts, each within the globe", () => {
  const wkt = wktOfRing([[-10, 170], [-10, 190], [10, 190], [10, 170]]) ?? "";
  const rings = ringsOfArea(wkt);
  assert.equal(rings.length, 2);
  for (const [, lng] of rings.flat()) assert.ok(Math.abs(lng) <= 180);
  assert.deepEqual(rings.map((ring) => [Math.min(...ring.map(([, lng]) => lng)), Math.max(...ring.map(([, lng]) => lng))]), [[170, 180], [-180, -170]]);
});

test("a ring around a pole reaches it", () => {
  for (const pole of [1, -1]) {
    const wkt = wktOfRing([0, 60, 120, 180, 240, 300].map((lng): [number, number] => [pole * 70, lng])) ?? "";
    const lats = ringsOfArea(wkt).flat().map(([lat]) => lat);
    assert.ok(lats.includes(pole * 90), wkt);
    const lngs = ringsOfArea(wkt).flat().map(([, lng]) => lng);
    assert.deepEqual([Math.min(...lngs), Math.max(...lngs)], [-180, 180]);
  }
});

test("a circle around a pole is an area too", () => {
  const rings = ringsOfArea(wktOfRing(ringOfCircle({ centre: [85, 30], radiusKm: 1500 })) ?? "");
  assert.ok(rings.flat().some(([lat]) => lat === 90));
});

test("a polygon that crosses itself, or is a line, is none", () => {
  assert.equal(wktOfRing([[0, 0], [10, 10], [10, 0], [0, 10]]), null);
  assert.equal(wktOfRing([[0, 0], [10, 10]]), null);
});

test("corners are typed one on each line", () => {
  assert.equal(ringOfText("40 10\n50, 20\n\n30;20 5"), null);
  const ring: [number, number][] = [[40, 10], [50, 20], [30, 25]];
  assert.deepEqual(ringOfText(textOfRing(ring)), ring);
  for (const text of ["", "1 2\n3 4", "91 0\n1 1\n2 2", "a b\n1 1\n2 2"]) assert.equal(ringOfText(text), null);
});

test("areas that all lie around a pole are seen from above it", () => {
  const of = (...boxes: [number, number, number, number][]) => polarView([{ boxes }]);
  assert.equal(of([-180, 60, 180, 90], [-50, 55, -10, 84]), "north");
  assert.equal(of([-180, -90, 180, -60]), "south");
  assert.equal(of([-180, 60, 180, 90], [0, 40, 10, 50]), "world");
  assert.equal(of([-180, 60, 180, 90], [-180, -90, 180, -60]), "world");
  assert.equal(of(), "world");
});
