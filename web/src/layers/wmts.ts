// A WMTS (OGC 07-057r7): its layers, each with the grids of tiles that it links to.

import { layerHost } from "../portal.ts";
import type { Opening } from "../record/offers.ts";
import { asked, childrenOf, linkOf, readXml, textOf, within } from "./answers.ts";
import { type Level, tiledPictures } from "./pictures.ts";
import { codeOf, drawable, type Projection, projectionOf } from "./projections.ts";
import type { ServiceLayer } from "./services.ts";
import { layerTime } from "./wms.ts";

const PIXEL_M = 0.28e-3; // of the standard's scales
const FORMATS = ["image/png", "image/png8", "image/jpeg", "image/jpg", "image/webp"];

interface Grid {
  name: string;
  code: string;
  matrices: Element[];
}

/** Fills in `{Style}`, `{TileMatrix}` and their like. */
type Address = (values: Record<string, string>) => string;

/** Raises LayerFailure. */
export async function wmtsLayers({ href }: Opening): Promise<ServiceLayer[]> {
  const root = await readXml(/\.xml$/i.test(new URL(href).pathname) ? href : asked(href, { SERVICE: "WMTS", REQUEST: "GetCapabilities" }));
  const grids = childrenOf(within(root, "Contents")[0] ?? root, "TileMatrixSet").map((element): Grid => ({ name: textOf(element, "Identifier"), code: codeOf(textOf(element, "SupportedCRS")), matrices: childrenOf(element, "TileMatrix") }));
  const service = serviceOf(root, href);
  return childrenOf(within(root, "Contents")[0] ?? root, "Layer").map((element) => layerOf(element, grids, service));
}

/** Where tiles are asked for by a query: as the service says, if this page may load from there. */
function serviceOf(root: Element, href: string): string {
  const operation = within(root, "Operation").find((element) => element.getAttribute("name") === "GetTile");
  const stated = operation ? within(operation, "Get").map(linkOf).find(layerHost) : undefined;
  return stated ?? href;
}

function layerOf(element: Element, grids: readonly Grid[], service: string): ServiceLayer {
  const name = textOf(element, "Identifier");
  const styles = childrenOf(element, "Style");
  const style = styles.find((each) => each.getAttribute("isDefault") === "true") ?? styles[0];
  const legend = linkOf(style && childrenOf(style, "LegendURL")[0]);
  const linked = childrenOf(element, "TileMatrixSetLink").map((link) => textOf(link, "TileMatrixSet"));
  const offered = grids.filter((grid) => linked.includes(grid.name));
  const dimensions = childrenOf(element, "Dimension");
  const usual = Object.fromEntries(dimensions.map((each) => [textOf(each, "Identifier"), textOf(each, "Default") || (childrenOf(each, "Value").at(-1)?.textContent?.trim() ?? "")]));
  const clock = dimensions.find((each) => textOf(each, "Identifier").toLowerCase() === "time");
  const time = clock ? layerTime(childrenOf(clock, "Value").map((value) => value.textContent ?? ""), textOf(clock, "Default")) : null;
  const address = addressOf(element, service, name, style ? textOf(style, "Identifier") : "");
  return {
    name,
    title: textOf(element, "Title") || name,
    ...(layerHost(legend) && { legend }),
    time,
    async pictures(pole, moment) {
      const [code] = drawable(offered.map((grid) => grid.code), pole);
      const grid = offered.find((each) => each.code === code);
      const projection = code && projectionOf(code);
      if (!grid || !projection || !address) return null;
      const values = { ...usual, ...(clock && moment && { [textOf(clock, "Identifier")]: moment }) };
      const levels = grid.matrices.map((matrix) => levelOf(matrix, projection, grid, (place) => address({ ...values, TileMatrixSet: grid.name, ...place })));
      return tiledPictures(projection, levels);
    },
  };
}

/** Null if it has no pictures: tiles of vectors. */
function addressOf(element: Element, service: string, layer: string, style: string): Address | null {
  const resources = childrenOf(element, "ResourceURL").filter((each) => each.getAttribute("resourceType") === "tile");
  const formats = childrenOf(element, "Format").map((each) => each.textContent?.trim() ?? "");
  const stated = [...resources.map((each) => each.getAttribute("format") ?? ""), ...formats];
  const format = FORMATS.find((each) => stated.includes(each));
  if (!format) return null;
  const template = resources.find((each) => each.getAttribute("format") === format)?.getAttribute("template");
  if (!template) return (values) => asked(service, { SERVICE: "WMTS", VERSION: "1.0.0", REQUEST: "GetTile", LAYER: layer, STYLE: style, FORMAT: format, ...upper(values) });
  return (values) => filled(template, { Style: style, ...values });
}

function upper(values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key.toUpperCase(), value]));
}

function filled(template: string, values: Record<string, string>): string {
  const known = new Map(Object.entries(values).map(([key, value]) => [key.toLowerCase(), value]));
  return template.replace(/\{([^{}]+)\}/g, (_, key: string) => encodeURIComponent(known.get(key.toLowerCase()) ?? ""));
}

function levelOf(matrix: Element, projection: Projection, { code }: Grid, address: Address): Level {
  const number = (name: string) => Number(textOf(matrix, name));
  const corner = textOf(matrix, "TopLeftCorner").split(/\s+/).map(Number) as [number, number];
  const isLatFirst = projection.metresPerUnit > 1 && code !== "CRS84" && Math.abs(corner[0]) <= 90;
  const [left, top] = isLatFirst ? [corner[1], corner[0]] : corner;
  const name = textOf(matrix, "Identifier");
  return {
    resolution: (number("ScaleDenominator") * PIXEL_M) / projection.metresPerUnit,
    left,
    top,
    width: number("TileWidth"),
    height: number("TileHeight"),
    columns: number("MatrixWidth"),
    rows: number("MatrixHeight"),
    address: (column, row) => address({ TileMatrix: name, TileCol: String(column), TileRow: String(row) }),
  };
}
