import assert from "node:assert/strict";
import test from "node:test";
import { areaOfRings, ringsOfArea, ringsOfText } from "../src/map/geometries.ts";

const wktOf = (text: string) => areaOfRings(ringsOfText(text))?.wkt ?? null;
const RING = [[10, 40], [20, 40], [15, 50], [10, 40]];
const WKT = "MULTIPOLYGON(((10 40,20 40,15 50,10 40)))";

test("polygons of GeoJSON in any wrapping are one WKT, without holes", () => {
  const polygon = { type: "Polygon", coordinates: [RING, [[14, 42], [15, 42], [15, 43], [14, 42]]] };
  for (const file of [polygon, { type: "Feature", geometry: polygon }, { type: "FeatureCollection", features: [{ type: "Feature", geometry: polygon }] }, { type: "GeometryCollection", geometries: [polygon] }]) {
    assert.equal(wktOf(JSON.stringify(file)), WKT);
  }
});

test("KML gives its outer boundaries, heights left out", () => {
  const kml = "<kml><Polygon><outerBoundaryIs><LinearRing><coordinates>10,40,0 20,40,0 15,50,0 10,40,0</coordinates></LinearRing></outerBoundaryIs></Polygon></kml>";
  assert.equal(wktOf(kml), WKT);
});

test("a file without an area gives none", () => {
  for (const file of ["", "{", "<kml/>", "[]", '{"type":"Point","coordinates":[1,2]}', '{"type":"Polygon","coordinates":[[[200,0],[201,0],[200,1],[200,0]]]}']) assert.equal(wktOf(file), null);
});

test("a long coast is simplified and stays closed", () => {
  const circle = Array.from({ length: 3601 }, (_, at) => [10 * Math.cos((at * Math.PI) / 1800), 10 * Math.sin((at * Math.PI) / 1800)]);
  const [ring = []] = ringsOfArea(wktOf(JSON.stringify({ type: "Polygon", coordinates: [circle] })) ?? "");
  assert.ok(ring.length > 20 && ring.length <= 150, String(ring.length));
  assert.deepEqual(ring[0], ring.at(-1));
  for (const [lat, lng] of ring) assert.ok(Math.abs(Math.hypot(lat, lng) - 10) < 0.01);
});

test("WKT and GeoJSON are drawn with latitudes first", () => {
  assert.deepEqual(ringsOfArea(WKT), [[[40, 10], [40, 20], [50, 15], [40, 10]]]);
  assert.deepEqual(ringsOfArea(JSON.stringify({ type: "Polygon", coordinates: [RING] })), ringsOfArea(WKT));
});

test("polygons of a file that touch are a collection, and one that crosses itself is replaced by its hull", () => {
  const beside = [[20, 40], [30, 40], [15, 50], [20, 40]];
  assert.equal(areaOfRings([RING, beside])?.wkt, "GEOMETRYCOLLECTION(POLYGON((10 40,20 40,15 50,10 40)),POLYGON((20 40,30 40,15 50,20 40)))");
  assert.equal(areaOfRings([[[0, 0], [10, 10], [10, 0], [0, 10], [0, 0]]])?.wkt, "MULTIPOLYGON(((0 0,10 0,10 10,0 10,0 0)))");
});

test("hundreds of small polygons are one hull", () => {
  const squares = Array.from({ length: 200 }, (_, at) => [[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5], [0, 0]].map(([x = 0, y = 0]) => [x + (at % 20), y + Math.floor(at / 20)]));
  const area = areaOfRings(squares);
  assert.equal(area?.simplified, true);
  assert.match(area?.wkt ?? "", /^MULTIPOLYGON/);
  for (const corner of ["0 0", "19.5 0", "19.5 9.5", "0 9.5"]) assert.ok(area?.wkt.includes(corner), area?.wkt);
});
