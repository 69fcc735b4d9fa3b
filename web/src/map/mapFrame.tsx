// The place of the map in a view. Leaflet and the land are loaded after the hits.

import { useEffect, useId, useRef, useState } from "preact/hooks";
import { portal } from "../portal.ts";
import { remember, remembered } from "../shell/memory.ts";
import { savesData } from "../shell/savesData.ts";
import type { Box, Facet } from "../types.ts";
import { useWords } from "../words/index.ts";
import { BaseSwitch } from "./baseSwitch.tsx";
import { polarView, type View, VIEWS } from "./views.ts";
import type { Tool } from "./areas.ts";
import type { Area, MapEvents, Shape } from "./shapes.ts";
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
  events: Omit<MapEvents, "onHint">;
  drawing?: Tool | null;
  /** The area whose corners can be moved. */
  edited?: Area | null;
  heat?: Facet | null;
  /** Called with the map when it is there, and with null when it is removed; the same function each time. */
  onMap?: (map: WorldMap | null) => void;
}

const BASE = "base-layer";
const HINT_MS = 1600;

export function MapFrame(props: Props) {
  const words = useWords();
  const [hint, setHint] = useState<"wheel" | "finger" | null>(null);
  useEffect(() => {
    const timer = hint && setTimeout(() => setHint(null), HINT_MS);
    return () => clearTimeout(timer ?? undefined);
  }, [hint]);
  const [choice, setChoice] = useState<View | null>(null);
  const view = choice ?? polarView(props.shapes);
  return (
    <div class="map">
      <MapOf key={view} {...props} view={view} hint={setHint} />
      <select class="map-view" aria-label={words.mapView} value={view} onChange={(event) => setChoice(event.currentTarget.value as View)}>
        {VIEWS.map((one) => (
          <option key={one} value={one}>{words.mapViews[one]}</option>
        ))}
      </select>
      {hint && <p class="map-hint" aria-hidden="true">{hint === "wheel" ? keyed(words.ctrlWheel) : words.twoFingers}</p>}
    </div>
  );
}

/** With the key of a Mac, where it is one. */
function keyed(hint: string): string {
  return /mac/i.test(navigator.platform) ? hint.replace(/Ctrl|Strg/, "⌘") : hint;
}

/** The map in one view; another view is another map. */
function MapOf({ view, hint, ...props }: Props & { view: View; hint: (gesture: "wheel" | "finger") => void }) {
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
        made = createMap(place.current, relayed(events, hint), words, polar);
        setMap(made);
      })
      .catch(() => setMap("failed"));
    return () => {
      left = true;
      made?.remove();
    };
  }, [words]);

  useEffect(() => {
    props.onMap?.(ready);
    return () => props.onMap?.(null);
  }, [ready, props.onMap]);
  useEffect(() => ready?.show(props.shapes, props.areas, props.filter, props.centre ?? null), [ready, props.shapes, props.areas, props.filter, props.centre]);
  useEffect(() => ready?.outline(props.outline ?? null), [ready, props.outline, props.shapes, props.areas, props.filter]);
  useEffect(() => ready?.mark(props.marked, false), [ready, props.marked, props.shapes]);
  useEffect(() => {
    if (props.approach) ready?.mark(props.marked, true);
  }, [ready, props.approach]);
  useEffect(() => ready?.draw(props.drawing ?? null), [ready, props.drawing]);
  useEffect(() => ready?.edit(props.edited ?? null), [ready, props.edited]);
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
function relayed(current: { current: Props["events"] }, onHint: MapEvents["onHint"]): MapEvents {
  return {
    onHint,
    onHover: (id) => current.current.onHover(id),
    onSelect: (id) => current.current.onSelect(id),
    onDrawn: (area) => current.current.onDrawn(area),
    onView: (view) => current.current.onView?.(view),
  };
}
