import assert from "node:assert/strict";
import test from "node:test";
import { after, begun } from "../src/ask/answer.ts";
import { eventsOf } from "../src/ask/events.ts";
import { reasonText } from "../src/search/reasons.ts";
import { words as de } from "../src/words/made/de.ts";

test("events are whole only at an empty line, wherever the pieces break", () => {
  const whole = 'event: passages\ndata: {"passages": []}\n\nevent: text\ndata: {"text": "a\\n"}\n\n';
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const first = eventsOf(whole.slice(0, cut));
    const second = eventsOf(first.rest + whole.slice(cut));
    const names = [...first.events, ...second.events].map((one) => one.name);
    assert.deepEqual(names, ["passages", "text"]);
    assert.equal(second.rest, "");
  }
});

test("lines may end as on Windows, data may have several, comments are none", () => {
  assert.deepEqual(eventsOf(": hello\r\n\r\ndata: a\r\ndata: b\r\n\r\nrest").events, [{ name: "message", data: "a\nb" }]);
});

test("an exchange grows by what comes and ends with the whole answer", () => {
  let now = begun("why?");
  now = after(now, { name: "passages", data: '{"passages": [{"number": 1}]}' });
  now = after(now, { name: "text", data: '{"text": "Be"}' });
  now = after(now, { name: "text", data: '{"text": "cause"}' });
  assert.deepEqual([now.phase, now.text, now.passages.length], ["writing", "Because", 1]);
  now = after(now, { name: "answer", data: '{"answer": "Because.", "mode": "model", "passages": [], "sentences": []}' });
  assert.deepEqual([now.phase, now.text, now.passages.length], ["done", "Because.", 0]);
});

test("an answer that breaks off says so and keeps what was said", () => {
  const now = after({ ...begun("why?"), text: "Be" }, { name: "error", data: '{"detail": "The model does not answer."}' });
  assert.deepEqual([now.phase, now.text, now.problem?.message], ["failed", "Be", "The model does not answer."]);
});

test("reasons are said in German with their numbers", () => {
  const said = (code: string, values: object, signal = "spatial") => reasonText({ code, ...values }, signal, de, "de");
  assert.equal(
    said("covers_place", { place: "Kongo", share: 0.5, area_ratio: 1.25 }),
    "deckt 50\u00a0% von „Kongo“ ab; die eigene Fläche ist das 1,3-Fache davon",
  );
  assert.equal(said("outside_place", { place: null, number: 1, of: 2, distance_deg: 3.04 }), "liegt außerhalb von dem gefragten Gebiet (1 von 2)");
  assert.equal(said("stands_back", {}), "liegt ganz außerhalb des gefragten Gebiets: steht hinter dem zurück, was darin liegt");
  assert.equal(said("covers_period", { start: "2005-01-01", end: null, share: 0.004 }, "temporal"), "deckt weniger als 1\u00a0% von 2005-01-01 bis heute ab");
  assert.equal(said("score", { raw: 2, best: 2.5 }, "bm25"), "Wörter im Datensatz");
  assert.equal(said("unknown", { counted: 0.25 }, "temporal"), "sagt nichts über seine Zeit: zählt als 0,25");
});
