// The map of a record: its area, drawn as the metadata draw it, and in boxes where these are all.

import type { Geometry, Position } from "geojson";
import { useEffect, useMemo, useState } from "preact/hooks";
import { boxesOf, isGuessed } from "../boxes.ts";
import { MapFrame } from "../map/mapFrame.tsx";
import type { WorldMap } from "../map/worldMap.ts";
import type { Feature } from "../types.ts";
import { useLoadedModule } from "../shell/lazyView.tsx";
import { layerHost } from "../portal.ts";
import { linksOf } from "./links.ts";
import { type Access, offersOf, type Opening } from "./offers.ts";
import { useWords } from "../words/index.ts";

export function RecordMap({ feature, title }: { feature: Feature; title: string }) {
  const words = useWords();
  const boxes = boxesOf(feature);
  const figure = feature.geometry && !isBoxes(feature.geometry) ? feature.geometry : null;
  const shapes = useMemo(() => [{ id: feature.id, title, boxes, guessed: isGuessed(feature), rank: null }], [feature, title, boxes]);
  const [map, setMap] = useState<WorldMap | null>(null);
  const services = useMemo(() => offersOf(linksOf(feature).own).openings.filter(isLayer), [feature]);
  useFigure(map, figure);
  if (boxes.length === 0 && services.length === 0) return null;
  return (
    <>
      <MapFrame label={words.mapOfRecord} shapes={shapes} areas={boxes} filter={null} marked={figure ? null : feature.id} events={QUIET} onMap={setMap} />
      {services.length > 0 && <Layers services={services} map={map} />}
    </>
  );
}

const loadLayers = () => import("../layers/layersPanel.tsx");

/** Loaded when it is opened. */
function Layers({ services, map }: { services: readonly Opening[]; map: WorldMap | null }) {
  const words = useWords();
  const [wanted, setWanted] = useState(false);
  const panel = useLoadedModule(wanted ? loadLayers : null);
  return (
    <details class="layers" onToggle={() => setWanted(true)}>
      <summary>{words.layersOnMap({ n: services.length })}</summary>
      {panel && <panel.LayersPanel openings={services} map={map} />}
    </details>
  );
}

const DRAWN = new Set<Access>(["wms", "wmts", "xyz", "wfs", "features"]);

/** A service that the map can draw, of a host that the operator allows. */
function isLayer({ access, href }: Opening): boolean {
  return DRAWN.has(access) && layerHost(href);
}

function useFigure(map: WorldMap | null, figure: Geometry | null): void {
  useEffect(() => {
    if (!map || !figure) return undefined;
    let erase: (() => void) | undefined;
    let left = false;
    void import("../map/figures.ts").then(({ drawFigures }) => {
      if (!left) erase = map.add((leaflet, ground) => drawFigures(leaflet, ground, [figure], { className: "figure" }));
    });
    return () => {
      left = true;
      erase?.();
    };
  }, [map, figure]);
}

/** Whether boxes say the same: points, and rectangles along meridians and parallels. */
function isBoxes(geometry: Geometry): boolean {
  if (geometry.type === "Polygon") return geometry.coordinates.length === 1 && isRectangle(geometry.coordinates[0] ?? []);
  return geometry.type === "MultiPolygon" ? geometry.coordinates.every((coordinates) => isBoxes({ type: "Polygon", coordinates })) : geometry.type === "Point";
}

function isRectangle(ring: readonly Position[]): boolean {
  return ring.length === 5 && ring.every((here, at) => at === 0 || here[0] === ring[at - 1]?.[0] || here[1] === ring[at - 1]?.[1]);
}

const QUIET = { onHover: () => undefined, onSelect: () => undefined, onDrawn: () => undefined };
