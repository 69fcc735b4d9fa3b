// Services of a record on its map: which layers they have, and how these are drawn.

import type { Geometry } from "geojson";
import L from "leaflet";
import { drawFigures } from "../map/figures.ts";
import type { Ground } from "../map/ground.ts";
import type { Opening } from "../record/offers.ts";

export interface ServiceLayer {
  name: string;
  title: string;
}

export type LayerState = "drawing" | "drawn" | "unread" | "empty" | "nothing" | "noPicture" | "worldOnly";

/** A service cannot be read, or has nothing to draw. */
export class LayerFailure extends Error {
  constructor(readonly state: LayerState) {
    super(state);
  }
}

const MOST_LAYERS = 50;
const MOST_FEATURES = 300;
const TIMEOUT_MS = 15_000;
const NAMING = /^(layers|typenames?|styles|format|outputformat|srs|crs|srsname|bbox|width|height|transparent)$/i;

/** Raises LayerFailure. */
export async function layersOf(opening: Opening): Promise<ServiceLayer[]> {
  const layers = namedIn(opening) ?? (opening.access === "features" ? await collectionsOf(opening) : await capabilitiesOf(opening));
  if (layers.length === 0) throw new LayerFailure("empty");
  const meant = layers.filter(({ name, title }) => opening.name === name || opening.name === title);
  return meant.length === 1 ? meant : layers.slice(0, MOST_LAYERS);
}

/** Draws a layer into `pane` until the answer is called; `told` hears how it goes. */
export function drawLayer(opening: Opening, layer: ServiceLayer, pane: string, told: (state: LayerState) => void): (map: L.Map, ground: Ground) => () => void {
  return (map, ground) => (opening.access === "wms" ? drawPictures(map, opening, layer, pane, told) : drawItems(map, ground, itemsAddress(opening, layer), pane, told));
}

function drawPictures(map: L.Map, opening: Opening, layer: ServiceLayer, pane: string, told: (state: LayerState) => void): () => void {
  if (map.options.crs !== L.CRS.EPSG4326) {
    told("worldOnly");
    return () => undefined;
  }
  let [good, bad] = [0, 0];
  const tiles = L.tileLayer.wms(bare(opening.href).href, { layers: layer.name, format: "image/png", transparent: true, pane, minZoom: -2, minNativeZoom: 0 });
  tiles.on("loading", () => {
    [good, bad] = [0, 0];
    told("drawing");
  });
  tiles.on("tileload", () => { good += 1; });
  tiles.on("tileerror", () => { bad += 1; });
  tiles.on("load", () => told(bad > 0 && good === 0 ? "noPicture" : "drawn"));
  tiles.addTo(map);
  return () => void tiles.off().remove();
}

function drawItems(map: L.Map, ground: Ground, address: string, pane: string, told: (state: LayerState) => void): () => void {
  let erase: (() => void) | null = null;
  let left = false;
  told("drawing");
  void readJson(address)
    .then((answer) => {
      if (left) return;
      const geometries = objectsIn(answer, "features").map(({ geometry }) => geometry as Geometry | null).filter((geometry) => geometry !== null);
      if (geometries.length > 0) erase = drawFigures(map, ground, geometries.slice(0, MOST_FEATURES), { className: "service", pane });
      told(geometries.length > 0 ? "drawn" : "nothing");
    })
    .catch(() => left || told("unread"));
  return () => {
    left = true;
    erase?.();
  };
}

/** The layers that the address itself names; null if it names none. */
function namedIn({ access, href }: Opening): ServiceLayer[] | null {
  const url = new URL(href);
  if (access === "features") {
    const [, name] = /\/collections\/([^/]+)(\/items)?\/?$/.exec(url.pathname) ?? [];
    return name ? [{ name: decodeURIComponent(name), title: decodeURIComponent(name) }] : null;
  }
  const name = [...url.searchParams].find(([key]) => /^(layers|typenames?)$/i.test(key))?.[1];
  return name ? [{ name, title: name }] : null;
}

/** As a WMS or a WFS lists them; where the browser may not read that, the link's own name if it can be a layer's. */
async function capabilitiesOf(opening: Opening): Promise<ServiceLayer[]> {
  const url = bare(opening.href);
  for (const [key, value] of [["SERVICE", opening.access.toUpperCase()], ["REQUEST", "GetCapabilities"]] as const) url.searchParams.set(key, value);
  try {
    const tree = new DOMParser().parseFromString(await readText(url.href), "text/xml");
    const elements = [...tree.getElementsByTagNameNS("*", opening.access === "wms" ? "Layer" : "FeatureType")];
    return elements.flatMap((element) => {
      const name = childText(element, "Name");
      return name ? [{ name, title: childText(element, "Title") || name }] : [];
    });
  } catch (error) {
    if (error instanceof LayerFailure && /^[\w:.-]+$/.test(opening.name)) return [{ name: opening.name, title: opening.name }];
    throw error;
  }
}

async function collectionsOf({ href }: Opening): Promise<ServiceLayer[]> {
  const answer = await readJson(below(href, "collections"));
  return objectsIn(answer, "collections").map(({ id, title }) => ({ name: String(id), title: String(title || id) }));
}

function itemsAddress({ access, href }: Opening, layer: ServiceLayer): string {
  if (access === "features") return below(href.replace(/\/collections(\/.*)?$/, ""), `collections/${encodeURIComponent(layer.name)}/items?limit=${MOST_FEATURES}&f=json`);
  const url = bare(href);
  const request = { SERVICE: "WFS", VERSION: "2.0.0", REQUEST: "GetFeature", TYPENAMES: layer.name, COUNT: String(MOST_FEATURES), SRSNAME: "EPSG:4326", OUTPUTFORMAT: "application/json" };
  for (const [key, value] of Object.entries(request)) url.searchParams.set(key, value);
  return url.href;
}

/** Without what a request for one layer adds. */
function bare(href: string): URL {
  const url = new URL(href);
  for (const key of [...url.searchParams.keys()]) if (NAMING.test(key)) url.searchParams.delete(key);
  return url;
}

function below(href: string, rest: string): string {
  return `${href.split("?")[0]?.replace(/\/+$/, "")}/${rest}`;
}

async function readText(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), credentials: "omit" });
    if (answer.ok) return await answer.text();
  } catch {
    // the browser does not say why: no answer, or none that this page may read
  }
  throw new LayerFailure("unread");
}

async function readJson(address: string): Promise<unknown> {
  const text = await readText(address);
  try {
    return JSON.parse(text);
  } catch {
    throw new LayerFailure("unread");
  }
}

function objectsIn(tree: unknown, name: string): Record<string, unknown>[] {
  const members = (tree as Record<string, unknown> | null)?.[name];
  return Array.isArray(members) ? members.filter((member) => typeof member === "object" && member !== null) : [];
}

function childText(element: Element, name: string): string {
  return [...element.children].find((child) => child.localName === name)?.textContent?.trim() ?? "";
}
