import assert from "node:assert/strict";
import test from "node:test";
import { tilesIn } from "../src/map/tiles.ts";
import type { TileGrid } from "../src/portal.ts";

const TEMPLATE = "https://tiles.example/{z}/{x}/{y}.png";
const QUAD: TileGrid[] = [0, 1, 2, 3].map((zoom) => [String(zoom), 180 / 256 / 2 ** zoom, -180, 90, 256, 256, 2 * 2 ** zoom, 2 ** zoom]);

test("the world is two tiles, each at its place", () => {
  assert.deepEqual(tilesIn([-180, -90, 180, 90], 360 / 512, TEMPLATE, QUAD), [
    { key: "0/0/0/0", url: "https://tiles.example/0/0/0.png", box: [-180, -90, 0, 90], clip: "" },
    { key: "0/1/0/0", url: "https://tiles.example/0/1/0.png", box: [0, -90, 180, 90], clip: "" },
  ]);
});

test("a view over the date line takes tiles of two worlds", () => {
  const boxes = tilesIn([170, 0, 190, 20], 180 / 256 / 4, TEMPLATE, QUAD).map(({ url, box }) => [url, box]);
  assert.deepEqual(boxes, [
    ["https://tiles.example/2/7/1.png", [135, 0, 180, 45]],
    ["https://tiles.example/2/0/1.png", [180, 0, 225, 45]],
  ]);
});

test("another grid of plate carrée: 512 pixels of 0.5625 degrees, as GIBS has it", () => {
  const gibs: TileGrid[] = [["0", 0.5625, -180, 90, 512, 512, 2, 1], ["1", 0.28125, -180, 90, 512, 512, 3, 2]];
  const tiles = tilesIn([-180, -90, 180, 90], 0.703125, TEMPLATE, gibs).map(({ box, clip }) => [box, clip]);
  assert.deepEqual(tiles, [
    [[-180, -198, 108, 90], "inset(0.0000% 0.0000% 37.5000% 0.0000%)"],
    [[108, -198, 396, 90], "inset(0.0000% 75.0000% 37.5000% 0.0000%)"],
  ]);
});

test("tiles are enlarged beyond the finest, and none are taken where they would be too many", () => {
  assert.deepEqual(tilesIn([10, 40, 11, 41], 0.0001, TEMPLATE, QUAD).map(({ key }) => key), ["3/8/2/0"]);
  assert.deepEqual(tilesIn([-180, -90, 180, 90], 0.7, TEMPLATE, [["9", 180 / 256 / 512, -180, 90, 256, 256, 1024, 512]]), []);
  assert.deepEqual(tilesIn([0, 0, 1, 1], 0.7, TEMPLATE, []), []);
});
