// Tiles by an address with {z}, {x} and {y} (Web Mercator, as these are), by TileJSON, and by TMS (OSGeo TMS 1.0.0).

import type { Opening } from "../record/offers.ts";
import { childrenOf, LayerFailure, parsed, readText, rootOf, textOf, within } from "./answers.ts";
import { type Level, tiledPictures } from "./pictures.ts";
import { codeOf, projectionOf } from "./projections.ts";
import type { ServiceLayer } from "./services.ts";

const MERCATOR = "3857";
const WIDTH_M = 2 * Math.PI * 6378137;
const FINEST = 18;
const PIXELS = 256;

/** Raises LayerFailure. */
export async function tileLayers({ href, name }: Opening): Promise<ServiceLayer[]> {
  if (/\{-?y\}/.test(href)) return [templateLayer(href, name)];
  const text = await readText(href);
  if (!text.trimStart().startsWith("<")) return [tileJsonLayer(parsed(text) as TileJson, name)];
  const root = rootOf(text);
  if (root.localName === "TileMap") return [await tmsLayer(root, href)];
  return within(root, "TileMap").map((element) => {
    const address = new URL(element.getAttribute("href") ?? "", href).href;
    const title = element.getAttribute("title") || address;
    return { name: address, title, pictures: async () => (await tmsLayer(rootOf(await readText(address)), address)).pictures?.(null, "") ?? null };
  });
}

interface TileJson {
  tiles?: string[];
  name?: string;
  scheme?: string;
  minzoom?: number;
  maxzoom?: number;
  attribution?: string;
}

function tileJsonLayer({ tiles, name, scheme, minzoom, maxzoom, attribution }: TileJson, title: string): ServiceLayer {
  const [template] = tiles ?? [];
  if (!template) throw new LayerFailure("empty");
  const credit = new DOMParser().parseFromString(attribution ?? "", "text/html").body.textContent ?? "";
  return { ...templateLayer(scheme === "tms" ? template.replace("{y}", "{-y}") : template, name || title, minzoom, maxzoom), credit };
}

function templateLayer(template: string, title: string, coarsest = 0, finest = FINEST): ServiceLayer {
  const levels = Array.from({ length: finest - coarsest + 1 }, (_, at) => xyzLevel(template, coarsest + at));
  return { name: template, title, pictures: async () => tiledPictures(projection(MERCATOR), levels) };
}

function xyzLevel(template: string, zoom: number): Level {
  const count = 2 ** zoom;
  return {
    resolution: WIDTH_M / PIXELS / count,
    left: -WIDTH_M / 2,
    top: WIDTH_M / 2,
    width: PIXELS,
    height: PIXELS,
    columns: count,
    rows: count,
    address: (column, row) => template.replace("{z}", String(zoom)).replace("{x}", String(column)).replace("{y}", String(row)).replace("{-y}", String(count - 1 - row)).replace("{s}", "a").replace("{r}", ""),
  };
}

/** Of its `TileMap`; rows count from the bottom. */
async function tmsLayer(root: Element, href: string): Promise<ServiceLayer> {
  const code = codeOf(textOf(root, "SRS"));
  const numbers = (name: string, ...keys: string[]) => keys.map((key) => Number(childrenOf(root, name)[0]?.getAttribute(key)));
  const [left = 0, bottom = 0] = numbers("Origin", "x", "y");
  const [width = PIXELS, height = PIXELS] = numbers("TileFormat", "width", "height");
  const [, , right = 0, top = 0] = numbers("BoundingBox", "minx", "miny", "maxx", "maxy");
  const extension = childrenOf(root, "TileFormat")[0]?.getAttribute("extension") ?? "png";
  const levels = within(root, "TileSet").map((set): Level => {
    const resolution = Number(set.getAttribute("units-per-pixel"));
    const [columns, rows] = [Math.ceil((right - left) / (width * resolution) - 1e-6), Math.ceil((top - bottom) / (height * resolution) - 1e-6)];
    const folder = new URL(set.getAttribute("href") ?? "", href).href.replace(/\/$/, "");
    const address = (column: number, row: number) => `${folder}/${column}/${rows - 1 - row}.${extension}`;
    return { resolution, left, top: bottom + rows * height * resolution, width, height, columns, rows, address };
  });
  const title = textOf(root, "Title") || href;
  return { name: href, title, pictures: async () => (projectionOf(code) && levels.length > 0 ? tiledPictures(projection(code), levels) : null) };
}

function projection(code: string) {
  const known = projectionOf(code);
  if (!known) throw new LayerFailure("noGrid");
  return known;
}
