import assert from "node:assert/strict";
import test from "node:test";
import { asked, asksNothing, boxOf, changed, cursorOf, datetimeOf, readParts, reading, searchOf, toggled, yearsOf } from "../src/address.ts";
import { boxBetween, boxText, widthDeg } from "../src/boxes.ts";
import { routeOf } from "../src/route.ts";
import { words as en } from "../src/words/made/en.ts";
import { words as fr } from "../src/words/made/fr.ts";

const of = (query: string) => new URLSearchParams(query);

test("foreign and empty parameters are no part of a search", () => {
  assert.equal(searchOf("?q=rain&utm_source=letter&type=&limit=3").toString(), "q=rain");
});

test("a search asks for reasons, marks and facets", () => {
  const query = new URL(asked(of("q=rain")), "http://x/").searchParams;
  assert.deepEqual([query.get("q"), query.get("explain"), query.get("highlight"), query.get("limit")], ["rain", "true", "true", "20"]);
});

test("only what filters or ranks asks something", () => {
  assert.equal(asksNothing(of("interpret=none")), true);
  assert.equal(asksNothing(of("type=dataset")), false);
});

test("one part is no longer read, and read again", () => {
  const without = reading(of("q=a"), "place", false);
  assert.equal(without.get("interpret"), "time,relation,scale,kind,names,terms,conditions");
  assert.deepEqual(readParts(without), ["time", "relation", "scale", "kind", "names", "terms", "conditions"]);
  assert.equal(reading(without, "place", true).toString(), "q=a");
  assert.equal(reading(of("interpret=place"), "place", false).get("interpret"), "none");
});

test("a box takes the place of a named place, and a relation needs one of them", () => {
  assert.equal(changed(of("place=Italy&relation=within"), "bbox", "1,2,3,4").toString(), "relation=within&bbox=1%2C2%2C3%2C4");
  assert.equal(changed(of("bbox=1,2,3,4&relation=within"), "bbox", null).toString(), "");
});

test("a value is added and taken away", () => {
  assert.equal(toggled(of("type=a"), "type", "b").toString(), "type=a&type=b");
  assert.equal(toggled(of("type=a&type=b"), "type", "a").toString(), "type=b");
});

test("boxes outside the world or without four numbers are none", () => {
  assert.deepEqual(boxOf(of("bbox=170,-20,-170,-10")), [170, -20, -170, -10]);
  for (const wrong of ["1,2,3", "1,,3,4", "a,b,c,d", "0,10,1,5", "0,-91,1,5", "181,0,1,5"]) assert.equal(boxOf(of(`bbox=${wrong}`)), null);
});

test("years become a period and back", () => {
  assert.equal(datetimeOf(1990, null), "1990-01-01/..");
  assert.equal(datetimeOf(null, 850), "../0850-12-31");
  assert.equal(datetimeOf(null, null), null);
  assert.deepEqual(yearsOf(of("datetime=1990-01-01/..")), [1990, null]);
  assert.deepEqual(yearsOf(of("datetime=2004")), [2004, 2004]);
});

test("only the cursor of the next link counts, not its host", () => {
  assert.equal(cursorOf([{ rel: "next", href: "https://elsewhere.org/search?q=a&cursor=abc" }]), "abc");
  assert.equal(cursorOf([{ rel: "self", href: "https://elsewhere.org/search?cursor=abc" }]), null);
});

test("a drawn box may be drawn from any corner and beyond the antimeridian", () => {
  assert.deepEqual(boxBetween({ lat: 10, lng: 20 }, { lat: -5, lng: 5.126 }), [5.13, -5, 20, 10]);
  assert.deepEqual(boxBetween({ lat: -20, lng: 170 }, { lat: -100, lng: 190 }), [170, -90, -170, -20]);
  assert.deepEqual(boxBetween({ lat: 0, lng: -300 }, { lat: 1, lng: 200 }), [-180, 0, 180, 1]);
});

test("a box in words and its width", () => {
  assert.equal(boxText([-10, 0, 20.26, 45], en, "en"), "10° W – 20.3° E, 0° – 45° N");
  assert.equal(boxText([-10, 0, 20.26, 45], fr, "fr"), "10° O – 20,3° E, 0° – 45° N");
  assert.equal(widthDeg([170, -20, -170, -10]), 20);
});

test("paths lead to views", () => {
  assert.deepEqual(routeOf("", "?q=a"), { view: "search", query: "?q=a" });
  assert.deepEqual(routeOf("records/samples%3Aera5", ""), { view: "record", id: "samples:era5" });
  assert.deepEqual(routeOf("records/100%", ""), { view: "record", id: "100%" });
  assert.deepEqual(routeOf("sources", ""), { view: "sources" });
});
