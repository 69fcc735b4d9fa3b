// A record's extent on the map: its boxes, and a dot if a box is too small to see.

import L from "leaflet";
import type { Box } from "../types.ts";
import type { Tool } from "./areas.ts";
import { cornersOf, type Ground } from "./ground.ts";

export interface Shape {
  id: string;
  title: string;
  boxes: readonly Box[];
  /** The boxes are read from the title. */
  guessed?: boolean;
  /** Its place in the list; null without a list. */
  rank: number | null;
}

export interface MapEvents {
  onHover(id: string | null): void;
  onSelect(id: string): void;
  /** An area was drawn or changed; null if drawing was given up. */
  onDrawn(area: Area | null): void;
  /** Somebody tried the wheel without Ctrl, or one finger. */
  onHint?: ((gesture: "wheel" | "finger") => void) | undefined;
  /** The map shows another part of the world. */
  onView?(view: Box): void;
}

const SMALL_DEG = 0.7;

/** Latitude and longitude of each position. */
export type Ring = readonly L.LatLngTuple[];

/** What a reader draws; a box by two opposite corners or by all four. */
export interface Area {
  tool: Tool;
  ring: Ring;
}

/** The bounds of boxes on both sides of the antimeridian: each is moved by 360 to be nearest to the first. */
export function around(boxes: readonly Box[]): L.LatLngBounds {
  const all = L.latLngBounds([]);
  for (const box of boxes) {
    const [west, south, east, north] = box;
    const [end, middle] = [easternEdge(west, east), all.isValid() ? all.getCenter().lng : 0];
    const turn = all.isValid() ? 360 * Math.round((middle - (west + end) / 2) / 360) : 0;
    all.extend([[south, west + turn], [north, end + turn]]);
  }
  return all;
}

const QUARTER_STEPS = 12;

/** The corners of `area`, whose edges lie the same distance from `place` on each side, as arcs: all that is within it. */
export function roundedCorners([west, south, east, north]: Box, [placeWest, placeSouth, placeEast, placeNorth]: Box): L.LatLngTuple[] {
  const end = easternEdge(west, east);
  const across = (end - west - (easternEdge(placeWest, placeEast) - placeWest)) / 2;
  const up = (north - south - (placeNorth - placeSouth)) / 2;
  const centres = [[north - up, end - across], [north - up, west + across], [south + up, west + across], [south + up, end - across]] as const;
  return centres.flatMap(([latitude, longitude], corner) =>
    Array.from({ length: QUARTER_STEPS + 1 }, (_, step): L.LatLngTuple => {
      const angle = (corner + step / QUARTER_STEPS) * (Math.PI / 2);
      return [latitude + up * Math.sin(angle), longitude + across * Math.cos(angle)];
    }),
  );
}

/** Beyond 180 where the box spans the antimeridian. */
export function easternEdge(west: number, east: number): number {
  return west <= east ? east : east + 360;
}

export class Drawn extends L.FeatureGroup {
  /** `place`: positions around it; none if the record has no extent. */
  constructor(readonly place: Ring) {
    super();
  }

  mark(on: boolean): void {
    this.eachLayer((layer) => {
      const path = (layer as L.Path).getElement();
      path?.classList.toggle("marked", on);
    });
    if (on && this.getLayers().length) this.bringToFront();
  }
}

export function drawShape(shape: Shape, ground: Ground, events: MapEvents): Drawn {
  const bounds = around(shape.boxes);
  const group = new Drawn(bounds.isValid() ? placeOf(shape.boxes, bounds, ground) : []);
  for (const polygon of shape.boxes.map(cornersOf).flatMap((ring) => ground.polygons(ring))) {
    group.addLayer(isSmall(polygon) ? dot(polygon) : L.polygon(polygon as L.LatLngTuple[][], { className: shape.guessed ? "extent guessed" : "extent" }));
  }
  group.bindTooltip(label(shape.title), { sticky: true, className: "map-tip" });
  group.on("mouseover", () => events.onHover(shape.id));
  group.on("mouseout", () => events.onHover(null));
  group.on("click", () => events.onSelect(shape.id));
  return group;
}

/** Of a wide extent on the flat map too, which has to be labelled. */
function placeOf(boxes: readonly Box[], bounds: L.LatLngBounds, ground: Ground): Ring {
  const place = ground.around(boxes);
  return place.length > 0 ? place : [bounds.getSouthWest(), bounds.getNorthEast()].map(({ lat, lng }): L.LatLngTuple => [lat, lng]);
}

function isSmall(polygon: readonly Ring[]): boolean {
  const bounds = L.latLngBounds(polygon.flat());
  return bounds.getEast() - bounds.getWest() < SMALL_DEG && bounds.getNorth() - bounds.getSouth() < SMALL_DEG;
}

function dot(polygon: readonly Ring[]): L.CircleMarker {
  return L.circleMarker(L.latLngBounds(polygon.flat()).getCenter(), { radius: 5, className: "extent dot" });
}

/** An element and not a string: Leaflet reads strings as HTML, and titles come from other people. */
function label(title: string): HTMLElement {
  const element = document.createElement("span");
  element.textContent = title;
  return element;
}
