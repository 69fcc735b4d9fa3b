// A record's extent on the map: its boxes, and a dot where a box would be too small to see.

import L from "leaflet";
import type { Box } from "../types.ts";
import type { MapEvents, Shape } from "./worldMap.ts";

const SMALL_DEG = 0.7;

/** The box as the map wants it; one across the antimeridian stands on both sides of the world. */
export function turned([west, south, east, north]: Box): L.LatLngBounds[] {
  const reach = (w: number, e: number) => L.latLngBounds([south, w], [north, e]);
  return west <= east ? [reach(west, east)] : [reach(west, east + 360), reach(west - 360, east)];
}

export class Drawn extends L.FeatureGroup {
  private readonly own = L.latLngBounds([]);

  /** Where it lies; not valid where the record names no extent. */
  get bounds(): L.LatLngBounds {
    return this.own;
  }

  include(bounds: L.LatLngBounds): void {
    this.own.extend(bounds);
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
  const group = new Drawn();
  for (const box of shape.boxes) {
    turned(box).forEach((bounds, side) => {
      if (side === 0) group.include(bounds);
      group.addLayer(isSmall(bounds) ? dot(bounds) : L.rectangle(bounds, { className: "extent" }));
    });
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

/** An element and not a string: Leaflet would read a string as HTML, and titles are written by others. */
function label(title: string): HTMLElement {
  const element = document.createElement("span");
  element.textContent = title;
  return element;
}
