// Services of a record on its map: which layers they have, and how these are drawn.

import type { Feature } from "geojson";
import L from "leaflet";
import { pathsOf } from "../map/figures.ts";
import type { Ground } from "../map/ground.ts";
import type { Access, Opening } from "../record/offers.ts";
import { LayerFailure } from "./answers.ts";
import { featureLayers, MOST_FEATURES, wfsLayer, wfsLayers } from "./features.ts";
import type { Pictures } from "./pictures.ts";
import { drawPictures, type Report } from "./redrawn.ts";
import { wmsLayer, wmsLayers } from "./wms.ts";
import { wmtsLayers } from "./wmts.ts";
import { tileLayers } from "./xyz.ts";

/** Times of a layer; `usual` is what the service shows unless asked, `range` is empty if it names none. */
export interface LayerTime {
  usual: string;
  choices: readonly string[];
  range: string;
}

/** It has pictures or features. */
export interface ServiceLayer {
  name: string;
  title: string;
  /** An address of a picture. */
  legend?: string;
  /** Who the service says the pictures are from. */
  credit?: string;
  time?: LayerTime | null;
  /** Null if it has none for the view. `time` empty: the usual one. */
  pictures?(pole: 1 | -1 | null, time: string): Promise<Pictures | null>;
  features?(): Promise<Feature[]>;
}

const MOST_LAYERS = 200;
const LAYERS: Partial<Record<Access, (opening: Opening) => Promise<ServiceLayer[]>>> = { wms: wmsLayers, wmts: wmtsLayers, xyz: tileLayers, wfs: wfsLayers, features: featureLayers };

/** Those that the link means, where it names one. Raises LayerFailure. */
export async function layersOf(opening: Opening): Promise<ServiceLayer[]> {
  const name = namedIn(opening);
  try {
    const layers = (await LAYERS[opening.access]?.(opening)) ?? [];
    if (opening.access === "wms" && name?.includes(",")) return [wmsLayer(opening.href, name)]; // several in one picture
    const meant = layers.filter((layer) => [layer.name, layer.title].includes(name ?? opening.name));
    if (layers.length === 0) throw new LayerFailure("empty");
    return meant.length > 0 ? meant.slice(0, 1) : layers.slice(0, MOST_LAYERS);
  } catch (error) {
    const known = name ?? (/^[\w:.-]+$/.test(opening.name) ? opening.name : null);
    if (!(error instanceof LayerFailure) || known === null) throw error;
    if (opening.access === "wms") return [wmsLayer(opening.href, known)];
    if (opening.access === "wfs") return [wfsLayer(opening.href, known)];
    throw error;
  }
}

/** The layer that the address itself names. */
function namedIn({ access, href }: Opening): string | null {
  if (access === "xyz" || access === "features") return null;
  return [...new URL(href).searchParams].find(([key]) => /^(layers?|typenames?)$/i.test(key))?.[1] || null;
}

export interface LayerEvents {
  report: Report;
  /** What the layer shows; empty for pictures. */
  onFeatures(features: readonly Feature[]): void;
  /** Somebody clicked it. */
  onFeature(feature: Feature): void;
}

/** Draws a layer into `pane` until the answer is called. */
export function drawLayer(layer: ServiceLayer, time: string, pane: string, events: LayerEvents): (map: L.Map, ground: Ground) => () => void {
  return (map, ground) => {
    let [erase, left] = [null as (() => void) | null, false];
    events.report("drawing");
    const drawn = layer.pictures ? withPictures(map, layer, time, pane, events, () => left) : withFeatures(map, ground, layer, pane, events, () => left);
    void drawn
      .then((end) => {
        if (left) end?.();
        else erase = end;
      })
      .catch((error: unknown) => {
        const failure = error instanceof LayerFailure ? error : new LayerFailure("unread");
        if (!left) events.report(failure.state, failure.detail);
      });
    return () => {
      left = true;
      erase?.();
    };
  };
}

type Drawn = Promise<(() => void) | null>;

async function withPictures(map: L.Map, layer: ServiceLayer, time: string, pane: string, events: LayerEvents, isLeft: () => boolean): Drawn {
  const pictures = await layer.pictures?.(poleOf(map), time);
  if (isLeft()) return null;
  if (!pictures) throw new LayerFailure("noGrid");
  return drawPictures(map, pictures, pane, events.report);
}

async function withFeatures(map: L.Map, ground: Ground, layer: ServiceLayer, pane: string, events: LayerEvents, isLeft: () => boolean): Drawn {
  const features = ((await layer.features?.()) ?? []).filter(({ geometry }) => geometry !== null).slice(0, MOST_FEATURES);
  if (isLeft()) return null;
  if (features.length === 0) throw new LayerFailure("nothing");
  const paths = features.flatMap((feature) => pathsOf(feature.geometry, ground, { className: "service", pane, interactive: true }).map((path) => path.on("click", () => events.onFeature(feature))));
  const group = L.layerGroup(paths).addTo(map);
  events.onFeatures(features);
  events.report("drawn");
  return () => void group.remove();
}

function poleOf(map: L.Map): 1 | -1 | null {
  const [, pole] = /^polar (-?1)$/.exec(map.options.crs?.code ?? "") ?? [];
  return pole === undefined ? null : pole === "1" ? 1 : -1;
}
