// A record's extent on the map: its boxes, and a dot if a box is too small to see.

import L from "leaflet";
import type { Box } from "../types.ts";

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
  /** A box was drawn, or drawing was cancelled (null). */
  onBox(box: Box | null): void;
  /** The map shows another part of the world. */
  onView?(view: Box): void;
}

const SMALL_DEG = 0.7;

export const TURNS = [0, -360, 360];

/** The box, and copies on both sides of the world, where the map continues beyond the antimeridian. */
export function turned([west, south, east, north]: Box): [L.LatLngBounds, ...L.LatLngBounds[]] {
  const end = easternEdge(west, east);
  const reach = (turn: number) => L.latLngBounds([south, west + turn], [north, end + turn]);
  return TURNS.map(reach) as [L.LatLngBounds, ...L.LatLngBounds[]];
}

/** The bounds of boxes on both sides of the antimeridian: each is moved by 360 to be nearest to the first. */
export function around(boxes: readonly Box[]): L.LatLngBounds {
  const all = L.latLngBounds([]);
  for (const box of boxes) {
    const off = (bounds: L.LatLngBounds) => (all.isValid() ? Math.abs(bounds.getCenter().lng - all.getCenter().lng) : 0);
    all.extend(turned(box).reduce((nearest, one) => (off(one) < off(nearest) ? one : nearest)));
  }
  return all;
}

const QUARTER_STEPS = 12;

/** The corners of `area`, whose edges lie the same distance from `place` on each side, as arcs: all that is within it. */
export function roundedCorners([west, south, east, north]: Box, [placeWest, placeSouth, placeEast, placeNorth]: Box): [number, number][] {
  const end = easternEdge(west, east);
  const across = (end - west - (easternEdge(placeWest, placeEast) - placeWest)) / 2;
  const up = (north - south - (placeNorth - placeSouth)) / 2;
  const centres = [[north - up, end - across], [north - up, west + across], [south + up, west + across], [south + up, end - across]] as const;
  return centres.flatMap(([latitude, longitude], corner) =>
    Array.from({ length: QUARTER_STEPS + 1 }, (_, step): [number, number] => {
      const angle = (corner + step / QUARTER_STEPS) * (Math.PI / 2);
      return [latitude + up * Math.sin(angle), longitude + across * Math.cos(angle)];
    }),
  );
}

/** Beyond 180 where the box spans the antimeridian. */
function easternEdge(west: number, east: number): number {
  return west <= east ? east : east + 360;
}

export class Drawn extends L.FeatureGroup {
  /** `bounds`: its position; invalid if the record has no extent. */
  constructor(readonly bounds: L.LatLngBounds) {
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

export function drawShape(shape: Shape, events: MapEvents): Drawn {
  const group = new Drawn(around(shape.boxes));
  for (const bounds of shape.boxes.flatMap(turned)) {
    group.addLayer(isSmall(bounds) ? dot(bounds) : L.rectangle(bounds, { className: shape.guessed ? "extent guessed" : "extent" }));
  }
  group.bindTooltip(label(shape.title), { sticky: true, className: "map-tip" });
  group.on("mouseover", () => events.onHover(shape.id));
  group.on("mouseout", () => events.onHover(null));
  group.on("click", () => events.onSelect(shape.id));
  return group;
}

function isSmall(bounds: L.LatLngBounds): boolean {
  return bounds.getEast() - bounds.getWest() < SMALL_DEG && bounds.getNorth() - bounds.getSouth() < SMALL_DEG;
}

function dot(bounds: L.LatLngBounds): L.CircleMarker {
  return L.circleMarker(bounds.getCenter(), { radius: 5, className: "extent dot" });
}

/** An element and not a string: Leaflet reads strings as HTML, and titles come from other people. */
function label(title: string): HTMLElement {
  const element = document.createElement("span");
  element.textContent = title;
  return element;
}
