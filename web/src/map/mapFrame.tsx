// The place of the map in a view. Leaflet and the land are loaded after the hits.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { portal } from "../portal.ts";
import { remember, remembered } from "../shell/memory.ts";
import { useLoadedModule } from "../shell/lazyView.tsx";
import { savesData } from "../shell/savesData.ts";
import type { Box, Facet } from "../types.ts";
import { useWords } from "../words/index.ts";
import { BaseSwitch } from "./baseSwitch.tsx";
import { polarView, type View } from "./views.ts";
import type { MapEvents, Shape } from "./shapes.ts";
import type { WorldMap } from "./worldMap.ts";

interface Props {
  label: string;
  shapes: readonly Shape[];
  areas: readonly Box[];
  filter: Box | null;
  /** The searched area as WKT or GeoJSON. */
  outline?: string | null;
  centre?: Box | null | undefined;
  marked: string | null;
  /** Changes when the marked record must be brought into view. */
  approach?: number;
  events: MapEvents;
  drawing?: boolean;
  heat?: Facet | null;
}

const BASE = "base-layer";
const mapTools = () => import("./mapTools.tsx");

export function MapFrame(props: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const tools = useLoadedModule(mapTools);
  const [choice, setChoice] = useState<View | null>(null);
  const view = choice ?? polarView(props.shapes);
  return (
    <div class="map" ref={frame}>
      <MapOf key={view} {...props} view={view} />
      {tools && <tools.MapTools frame={frame} view={view} change={setChoice} />}
    </div>
  );
}

/** The map in one view; another view is another map. */
function MapOf({ view, ...props }: Props & { view: View }) {
  const words = useWords();
  const help = useId();
  const place = useRef<HTMLDivElement>(null);
  const events = useRef(props.events);
  events.current = props.events;
  const [map, setMap] = useState<WorldMap | "loading" | "failed">("loading");
  const [{ on: tiles, failed }, setBase] = useState(() => ({ on: portal.baseLayer !== null && remembered(BASE) !== "off" && !savesData(), failed: false }));
  const setTiles = (on: boolean, failed = false) => {
    setBase({ on, failed });
    if (!failed) remember(BASE, on ? "on" : "off");
  };
  const ready = typeof map === "object" ? map : null;

  useEffect(() => {
    let made: WorldMap | null = null;
    let left = false;
    const ground = view === "world" ? undefined : import("./polar.ts").then(({ polarGround }) => polarGround(view === "north"));
    Promise.all([import("./worldMap.ts"), ground])
      .then(([{ createMap }, polar]) => {
        if (left || !place.current) return;
        made = createMap(place.current, relayed(events), words, polar);
        setMap(made);
      })
      .catch(() => setMap("failed"));
    return () => {
      left = true;
      made?.remove();
    };
  }, [words]);

  useEffect(() => ready?.show(props.shapes, props.areas, props.filter, props.centre ?? null), [ready, props.shapes, props.areas, props.filter, props.centre]);
  useEffect(() => ready?.outline(props.outline ?? null), [ready, props.outline, props.shapes, props.areas, props.filter]);
  useEffect(() => ready?.mark(props.marked, false), [ready, props.marked, props.shapes]);
  useEffect(() => {
    if (props.approach) ready?.mark(props.marked, true);
  }, [ready, props.approach]);
  useEffect(() => ready?.draw(props.drawing ?? false), [ready, props.drawing]);
  useEffect(() => ready?.tiles(tiles, () => setTiles(false, true)), [ready, tiles]);
  useEffect(() => ready?.heat(props.heat ?? null), [ready, props.heat]);

  return (
    <>
      <div ref={place} class="map-place" role="region" aria-label={props.label} aria-describedby={help} tabIndex={0} />
      <p id={help} class="unseen">
        {words.mapHelp}
      </p>
      {map === "loading" && <p class="map-state">{words.mapLoading}</p>}
      {map === "failed" && <p class="map-state">{words.mapFailed}</p>}
      {view === "world" && <BaseSwitch on={tiles} failed={failed} change={setTiles} />}
    </>
  );
}

/** The map is made once; a view's callbacks may change with each render. */
function relayed(current: { current: MapEvents }): MapEvents {
  return {
    onHover: (id) => current.current.onHover(id),
    onSelect: (id) => current.current.onSelect(id),
    onBox: (box) => current.current.onBox(box),
    onView: (view) => current.current.onView?.(view),
  };
}
