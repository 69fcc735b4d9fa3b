// A list of hits: the small maps beside it, and its file made of several pages.

import assert from "node:assert/strict";
import test from "node:test";
import { asksNothing, askedAsFile, searchOf, unranked } from "../src/address.ts";
import { nextOf, oneCollection, oneTable } from "../src/keep/exporting.ts";
import { addressOf, bodyOf, type Saved } from "../src/keep/saved.ts";
import { boxOnMap, landOf, viewAround } from "../src/search/miniMap.ts";

test("a small map shows the area and some of the world around it", () => {
  assert.deepEqual(viewAround([[-180, -90, 180, 90]]), { west: -180, north: 90, width: 360 });
  assert.deepEqual(viewAround([[10, 40, 10, 40]]), { west: -10, north: 50, width: 40 });
  assert.deepEqual(viewAround([[0, 80, 10, 90]]), { west: -15, north: 90, width: 40 }, "not beyond the pole");
  assert.equal(viewAround([[0, -10, 100, 10]]).width, 180);
});

test("the land is where it is in the world", () => {
  assert.deepEqual(landOf({ west: -180, north: 90, width: 360 }), { maskSize: "100.00% 100.00%", maskPosition: "0.00% 0.00%" });
  assert.deepEqual(landOf({ west: 0, north: 45, width: 180 }), { maskSize: "200.00% 200.00%", maskPosition: "100.00% 50.00%" });
});

test("a box lies at its place, also across 180 degrees, and a point can be seen", () => {
  const view = { west: 0, north: 45, width: 180 };
  assert.deepEqual(boxOnMap([45, 0, 90, 45], view), { left: "25.00%", top: "0.00%", width: "25.00%", height: "50.00%" });
  const across = viewAround([[170, -10, -170, 10]]);
  assert.deepEqual(across, { west: 144, north: 18, width: 72 });
  assert.equal(boxOnMap([170, -10, -170, 10], across).left, `${((26 / 72) * 100).toFixed(2)}%`);
  assert.deepEqual(boxOnMap([90, 0, 90, 0], view), { left: "47.50%", top: "45.00%", width: "5.00%", height: "10.00%" });
});

test("pages become one file", () => {
  assert.equal(oneTable(["id,title\r\na,A\r\n", "id,title\r\nb,B\r\n"]), "id,title\r\na,A\r\nb,B\r\n");
  const pages = [{ type: "FeatureCollection", features: [1], links: [] }, { features: [2] }].map((page) => JSON.stringify(page));
  assert.deepEqual(JSON.parse(oneCollection(pages)), { type: "FeatureCollection", features: [1, 2] });
  assert.equal(nextOf('<https://portal.example/search?q=a&cursor=xyz>; rel="next"; type="text/csv"'), "xyz");
  assert.equal(nextOf(null), null);
  assert.equal(askedAsFile(new URLSearchParams("q=a"), "csv", "xyz"), "search?q=a&f=csv&limit=100&cursor=xyz");
});

test("a kept search comes back as it was", () => {
  const search = searchOf("q=sea+ice&type=dataset&type=series&bbox=1,2,3,4&utm=x");
  assert.deepEqual(bodyOf(search), { q: "sea ice", type: ["dataset", "series"], bbox: "1,2,3,4" });
  assert.equal(addressOf({ search: bodyOf(search) } as unknown as Saved), search.toString());
});

test("an order is no filter", () => {
  assert.ok(asksNothing(new URLSearchParams("sortby=-updated")));
  assert.equal(unranked(new URLSearchParams("q=rain&sortby=-updated"), "rain"), "collections/all/items?sortby=-updated&q=rain");
});
