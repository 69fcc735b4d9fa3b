// A WMS (OGC 01-068r3 and 06-042): its layers with legend and times, and its pictures.

import { layerHost } from "../portal.ts";
import type { Opening } from "../record/offers.ts";
import { asked, childrenOf, linkOf, readXml, textOf, within } from "./answers.ts";
import { drawnPictures, type Edges } from "./pictures.ts";
import { codeOf, drawable, projectionOf } from "./projections.ts";
import type { LayerTime, ServiceLayer } from "./services.ts";

const MOST_TIMES = 300;

interface Described {
  version: string;
  /** As the service writes them. */
  systems: readonly string[];
  legend: string;
  time: LayerTime | null;
}

const UNKNOWN: Described = { version: "1.1.1", systems: ["EPSG:4326"], legend: "", time: null };

/** Raises LayerFailure. */
export async function wmsLayers({ href }: Opening): Promise<ServiceLayer[]> {
  const root = await readXml(asked(href, { SERVICE: "WMS", REQUEST: "GetCapabilities" }));
  const version = (root.getAttribute("version") ?? "") >= "1.3" ? "1.3.0" : "1.1.1";
  return within(root, "Layer").flatMap((element) => {
    const name = textOf(element, "Name");
    if (!name) return [];
    const above = lineOf(element);
    const systems = above.flatMap((each) => [...childrenOf(each, "CRS"), ...childrenOf(each, "SRS")]).flatMap((each) => (each.textContent ?? "").trim().split(/\s+/));
    const [style] = above.flatMap((each) => childrenOf(each, "Style"));
    const legend = linkOf(style && within(style, "LegendURL").flatMap((each) => childrenOf(each, "OnlineResource"))[0]);
    const credit = above.map((each) => textOf(childrenOf(each, "Attribution")[0], "Title")).find(Boolean) ?? "";
    const described = { version, systems: systems.length > 0 ? systems : UNKNOWN.systems, legend, time: timeOf(above) };
    return [{ ...wmsLayer(href, name, described), title: textOf(element, "Title") || name, credit }];
  });
}

/** `described` missing: its capabilities are not known. */
export function wmsLayer(href: string, name: string, described: Described = UNKNOWN): ServiceLayer {
  const { version, systems, time } = described;
  const isNew = version === "1.3.0";
  return {
    name,
    title: name,
    legend: layerHost(described.legend) ? described.legend : asked(href, { SERVICE: "WMS", VERSION: version, REQUEST: "GetLegendGraphic", LAYER: name, FORMAT: "image/png", SLD_VERSION: "1.1.0" }),
    time,
    async pictures(pole, moment) {
      const [code] = drawable(systems.map(codeOf), pole);
      const projection = code && projectionOf(code);
      if (!code || !projection || projection.pole !== pole) return null; // a picture of degrees has no pole
      const system = systems.find((each) => codeOf(each) === code) ?? "";
      const isLatFirst = isNew && code !== "CRS84" && projection.metresPerUnit > 1;
      return drawnPictures(projection, (edges, width, height) =>
        asked(href, {
          SERVICE: "WMS", VERSION: version, REQUEST: "GetMap", LAYERS: name, STYLES: "", FORMAT: "image/png", TRANSPARENT: "TRUE",
          [isNew ? "CRS" : "SRS"]: system, BBOX: boxOf(edges, isLatFirst), WIDTH: String(width), HEIGHT: String(height), ...(moment && { TIME: moment }),
        }),
      );
    },
  };
}

function boxOf({ left, bottom, right, top }: Edges, isLatFirst: boolean): string {
  return (isLatFirst ? [bottom, left, top, right] : [left, bottom, right, top]).join(",");
}

/** A layer and those that it lies in, from which it inherits. */
function lineOf(element: Element): Element[] {
  const parent = element.parentElement;
  return [element, ...(parent?.localName === "Layer" ? lineOf(parent) : [])];
}

function timeOf(above: readonly Element[]): LayerTime | null {
  const elements = above.flatMap((each) => [...childrenOf(each, "Extent"), ...childrenOf(each, "Dimension")]).filter((each) => each.getAttribute("name")?.toLowerCase() === "time");
  const element = elements.find((each) => (each.textContent ?? "").trim() !== "") ?? elements[0];
  if (!element) return null;
  return layerTime((element.textContent ?? "").split(","), elements.map((each) => each.getAttribute("default")).find(Boolean) ?? "");
}

/** Of instants, and of intervals as `start/end/step`. */
export function layerTime(values: readonly string[], usual: string): LayerTime | null {
  const stated = values.map((value) => value.trim()).filter(Boolean);
  const instants = stated.flatMap((value) => value.split("/").slice(0, 2));
  const [first, last] = [instants[0], instants.at(-1)];
  if (!first || !last) return usual ? { usual, choices: [], range: "" } : null;
  const [, , step = ""] = stated.length === 1 ? (stated[0] ?? "").split("/") : [];
  return { usual: usual || last, choices: instants.slice(-MOST_TIMES), range: [`${first} – ${last}`, step].filter(Boolean).join(", ") };
}
