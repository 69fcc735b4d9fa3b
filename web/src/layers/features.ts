// Features of a WFS or of OGC API Features: GeoJSON, or GML where a WFS sends nothing else.

import type { Feature } from "geojson";
import type { Opening } from "../record/offers.ts";
import { asked, childrenOf, LayerFailure, objectsIn, readJson, readText, readXml, rootOf, textOf, within } from "./answers.ts";
import { featuresOfGml } from "./gml.ts";
import type { ServiceLayer } from "./services.ts";

export const MOST_FEATURES = 300;

/** Of a WFS. Raises LayerFailure. */
export async function wfsLayers({ href }: Opening): Promise<ServiceLayer[]> {
  const root = await readXml(asked(href, { SERVICE: "WFS", REQUEST: "GetCapabilities" }));
  const version = root.getAttribute("version") ?? "";
  return within(root, "FeatureType").flatMap((element) => {
    const name = textOf(element, "Name");
    const formats = [...formatsIn(element), ...within(root, "Parameter").filter((each) => each.getAttribute("name")?.toLowerCase() === "outputformat").flatMap((each) => within(each, "Value").map((value) => value.textContent ?? ""))];
    return name ? [{ ...wfsLayer(href, name, version, formats), title: textOf(element, "Title") || name }] : [];
  });
}

function formatsIn(element: Element): string[] {
  return childrenOf(element, "OutputFormats").flatMap((each) => childrenOf(each, "Format").map((format) => format.textContent ?? ""));
}

export function wfsLayer(href: string, name: string, version = "2.0.0", formats: readonly string[] = []): ServiceLayer {
  const isOld = version.startsWith("1.");
  const request = { SERVICE: "WFS", VERSION: isOld ? "1.1.0" : "2.0.0", REQUEST: "GetFeature", [isOld ? "TYPENAME" : "TYPENAMES"]: name, [isOld ? "MAXFEATURES" : "COUNT"]: String(MOST_FEATURES), SRSNAME: "EPSG:4326" };
  const json = formats.find((format) => /json/i.test(format));
  return {
    name,
    title: name,
    async features() {
      if (json || formats.length === 0) {
        const text = await readText(asked(href, { ...request, OUTPUTFORMAT: json ?? "application/json" })).catch(() => "");
        if (text.trimStart().startsWith("{")) return objectsIn(JSON.parse(text), "features") as unknown as Feature[];
      }
      try {
        return featuresOfGml(rootOf(await readText(asked(href, request))));
      } catch (error) {
        if (error instanceof LayerFailure && formats.length > 0) throw new LayerFailure("formats", [...new Set(formats)].slice(0, 4).join(", "));
        throw error;
      }
    },
  };
}

/** The collections of OGC API Features, or that of the address. Raises LayerFailure. */
export async function featureLayers({ href }: Opening): Promise<ServiceLayer[]> {
  const url = new URL(href);
  const [, name] = /\/collections\/([^/]+)(\/items)?\/?$/.exec(url.pathname) ?? [];
  if (name) return [collectionLayer(href, decodeURIComponent(name), "")];
  return objectsIn(await readJson(below(href, "collections")), "collections").map(({ id, title }) => collectionLayer(href, String(id), String(title || "")));
}

function collectionLayer(href: string, id: string, title: string): ServiceLayer {
  const address = below(href, `collections/${encodeURIComponent(id)}/items`, { limit: String(MOST_FEATURES), f: "json" });
  return { name: id, title: title || id, features: async () => objectsIn(await readJson(address), "features") as unknown as Feature[] };
}

/** Below the start of the service. Its own query stays: a key may be in it. */
function below(href: string, rest: string, parameters: Record<string, string> = {}): string {
  const url = new URL(href);
  url.pathname = `${url.pathname.replace(/\/collections(\/.*)?$/, "").replace(/\/+$/, "")}/${rest}`;
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  return url.href;
}
