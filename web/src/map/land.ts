// Land and borders of Natural Earth, coarse at first and finer at larger zoom.

import type { Geometry, Position } from "geojson";
import L from "leaflet";
import { feature, mesh } from "topojson-client";
import type { GeometryCollection, Topology } from "topojson-specification";
import type { Ground } from "./ground.ts";
import { unwrapped } from "./rings.ts";

type Atlas = Topology<{ countries: GeometryCollection; land: GeometryCollection }>;
type Size = "110m" | "50m";

const FINE_FROM_ZOOM = 2.5;

/** Adds the land below everything else; returns a function that stops further loading. */
export function addLand(map: L.Map, ground: Ground): () => void {
  const pane = map.createPane("land");
  pane.style.zIndex = "200";
  const stop = new AbortController();
  let shown: Size | null = null;
  let layer: L.LayerGroup | null = null;

  async function show(size: Size): Promise<void> {
    if (shown === size || shown === "50m") return;
    shown = size;
    const made = await land(size, ground, stop.signal);
    if (made === null || stop.signal.aborted) return; // the map may be gone by now
    layer?.remove();
    layer = made.addTo(map);
  }
  const refine = () => void show(map.getZoom() >= FINE_FROM_ZOOM ? "50m" : "110m");
  map.on("zoomend", refine);
  refine();
  return () => stop.abort();
}

/** Null if it cannot be loaded: the map then shows boxes without land, which is still useful. */
async function land(size: Size, ground: Ground, signal: AbortSignal): Promise<L.LayerGroup | null> {
  try {
    const answer = await fetch(`page/world-${size}.json`, { signal });
    return answer.ok ? drawn((await answer.json()) as Atlas, ground) : null;
  } catch {
    return null;
  }
}

function drawn(atlas: Atlas, ground: Ground): L.LayerGroup {
  const land = feature(atlas, atlas.objects.land);
  const polygons = ("features" in land ? land.features : [land]).flatMap(({ geometry }) => polygonsOf(geometry)).map((rings) => rings.map(ground.land));
  const borders = mesh(atlas, atlas.objects.countries as never, (a, b) => a !== b).coordinates.map(unwrapped);
  const group = L.layerGroup();
  for (const turn of ground.turns) {
    const place = (line: Position[]) => line.map(([lng = 0, lat = 0]) => L.latLng(lat, lng + turn));
    const style = { interactive: false, pane: "land" };
    group.addLayer(L.polygon(polygons.map((rings) => rings.map(place)), { ...style, className: "land" }));
    group.addLayer(L.polyline(borders.map(place), { ...style, className: "border" }));
  }
  return group;
}

function polygonsOf(geometry: Geometry): Position[][][] {
  if (geometry.type === "Polygon") return [geometry.coordinates];
  return geometry.type === "MultiPolygon" ? geometry.coordinates : [];
}
