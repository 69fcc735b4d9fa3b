// The search page: asks /search with the page's own address as the saved search, and shows why each hit is there.
"use strict";

const SHOWN = {bm25: "words", dense: "meaning", cross_encoder: "reading", spatial: "place", temporal: "time"};
const byId = (id) => document.getElementById(id);
let next = null;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const day = (iso) => (iso === ".." ? "today" : iso.split("T")[0]);
const numbers = (box) => box.map((edge) => Math.round(edge * 10) / 10).join(", ");

function showUnderstood(read) {
  const chips = [];
  if (read.thematic) chips.push(`what: ${read.thematic}`);
  for (const place of read.places) chips.push(`where: ${place.name} (${numbers(place.bbox)})`);
  if (read.datetime) chips.push(`when: ${read.datetime.split("/").map(day).join(" to ")}`);
  for (const kind of read.kinds) chips.push(`kind: ${kind.kind}`);
  byId("understood").replaceChildren(...chips.map((chip) => element("span", chip, "chip")));
}

function bars(explanation) {
  const list = element("dl", "", "bars");
  for (const part of explanation.signals) {
    if (!SHOWN[part.signal] || part.raw === null) continue;
    const row = element("div");
    const bar = element("progress");
    bar.max = 1;
    bar.value = part.normalised;
    bar.setAttribute("aria-label", `${SHOWN[part.signal]}: ${Math.round(part.normalised * 100)} percent`);
    row.title = part.reason;
    row.append(element("dt", SHOWN[part.signal]));
    const value = element("dd");
    value.append(bar);
    row.append(value);
    list.append(row);
  }
  return list;
}

function hit(feature) {
  const item = element("li");
  const title = element("h2");
  const home = feature.links.find((link) => /^https?:/.test(link.href));
  if (home) {
    const anchor = element("a", feature.properties.title);
    anchor.href = home.href;
    anchor.rel = "noopener";
    title.append(anchor);
  } else {
    title.textContent = feature.properties.title;
  }
  const text = feature.properties.description || "";
  const facts = [];
  if (feature.time) facts.push(feature.time.interval.map(day).join(" to "));
  const boxes = feature.properties["sonde:boxes"] || [];
  if (boxes.length) facts.push(`[${numbers(boxes[0])}]${boxes.length > 1 ? ` and ${boxes.length - 1} more` : ""}`);
  item.append(title, element("p", text.length > 280 ? `${text.slice(0, 280)}…` : text));
  item.append(element("p", facts.join(" · "), "facts"));
  if (feature["sonde:explanation"]) item.append(bars(feature["sonde:explanation"]));
  return item;
}

async function load(address, append) {
  byId("state").textContent = "Searching…";
  try {
    const response = await fetch(address, {headers: {Accept: "application/geo+json"}});
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.detail || answer.title);
    showUnderstood(answer["sonde:interpretation"]);
    const items = answer.features.map(hit);
    if (append) byId("hits").append(...items);
    else byId("hits").replaceChildren(...items);
    const without = answer["sonde:degraded"].length ? ` Ranked without: ${answer["sonde:degraded"].join(", ")}.` : "";
    byId("state").textContent = answer.numberMatched
      ? `${answer.numberMatched} hits.${without}`
      : `Nothing found. Try other words.${without}`;
    next = (answer.links.find((link) => link.rel === "next") || {}).href || null;
    byId("more").hidden = next === null;
  } catch (error) {
    byId("state").textContent = `That did not work: ${error.message}`;
  }
}

function search() {
  const asked = new URLSearchParams(location.search);
  byId("q").value = asked.get("q") || "";
  if (!asked.get("q")) return;
  asked.set("explain", "true");
  load(`search?${asked}`, false);
}

byId("search").addEventListener("submit", (event) => {
  event.preventDefault();
  const asked = new URLSearchParams({q: byId("q").value.trim()});
  history.pushState(null, "", `?${asked}`);
  search();
});
byId("more").addEventListener("click", () => load(next, true));
addEventListener("popstate", search);
search();
