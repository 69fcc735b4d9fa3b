// The ranks of the hits on the map, so that none hides another: ranks that would overlap share one label.

import L from "leaflet";
import type { Drawn, MapEvents, Ring, Shape } from "./shapes.ts";

/** Pixels at which two labels are apart, however many ranks they name. */
const [APART_X, APART_Y] = [88, 20];
const NAMED = 3;
const [EDGE, MARGIN] = [3, 13];
const SMALL_PIXELS = 24;
const MOST = 200;

export interface Ranks {
  /** `drawn`: the extents by id. */
  show(shapes: readonly Shape[], drawn: ReadonlyMap<string, Drawn>): void;
  mark(id: string | null): void;
}

interface Place {
  at: L.Point;
  /** In an extent's upper right corner, not in the middle of a small one. */
  corner: boolean;
}

interface Label extends Place {
  shapes: Shape[];
}

export function ranksOf(map: L.Map, events: MapEvents): Ranks {
  const layer = L.layerGroup().addTo(map);
  let placed: [L.Marker, Label][] = [];
  let [shapes, extents]: [readonly Shape[], ReadonlyMap<string, Drawn>] = [[], new Map()];
  let [marked, selected]: [string | null, string | null] = [null, null];

  function draw(): void {
    layer.clearLayers();
    placed = together(shapes, (shape) => placeOf(map, extents.get(shape.id)?.place ?? [])).map((label): [L.Marker, Label] => [marker(label).addTo(layer), label]);
    highlight();
  }

  function marker(label: Label): L.Marker {
    const element = document.createElement("span");
    element.textContent = textOf(label.shapes);
    const icon = L.divIcon({ className: label.corner ? "rank-label corner" : "rank-label", html: element, iconSize: [0, 0] });
    const made = L.marker(map.containerPointToLatLng(label.at), { icon, keyboard: false });
    made.bindTooltip(titles(label.shapes), { className: "map-tip" });
    made.on("mouseover", () => events.onHover(label.shapes[0]?.id ?? null));
    made.on("mouseout", () => events.onHover(null));
    made.on("click", () => select(label.shapes));
    return made;
  }

  /** Each click selects the next of those that share the label; the pointer above it already marks the first. */
  function select(together: readonly Shape[]): void {
    const next = together[(together.findIndex(({ id }) => id === selected) + 1) % together.length];
    if (!next) return;
    selected = next.id;
    events.onSelect(next.id);
  }

  function highlight(): void {
    for (const [one, label] of placed) one.getElement()?.classList.toggle("marked", label.shapes.some(({ id }) => id === marked));
  }

  map.on("moveend resize", draw);
  return {
    show(given, drawn) {
      [shapes, extents] = [given.filter(({ rank }) => rank !== null).slice(0, MOST), drawn];
      draw();
    },
    mark(id) {
      marked = id;
      highlight();
    },
  };
}

/** In the order of the ranks: each shape joins the first label that is too near, or gets its own. */
function together(shapes: readonly Shape[], place: (shape: Shape) => Place | null): Label[] {
  const labels: Label[] = [];
  for (const shape of shapes) {
    const found = place(shape);
    if (found === null) continue;
    const near = labels.find(({ at }) => Math.abs(at.x - found.at.x) < APART_X && Math.abs(at.y - found.at.y) < APART_Y);
    if (near) near.shapes.push(shape);
    else labels.push({ ...found, shapes: [shape] });
  }
  return labels;
}

/** The upper right corner of what is seen of an extent, or the middle of a small one; null if nothing is seen of it. */
function placeOf(map: L.Map, place: Ring): Place | null {
  if (place.length === 0) return null;
  const turn = map.options.crs === L.CRS.EPSG4326 ? 360 * Math.round((map.getCenter().lng - L.latLngBounds([...place]).getCenter().lng) / 360) : 0;
  const seen = L.bounds(place.map(([lat, lng]) => map.latLngToContainerPoint([lat, lng + turn])));
  const { x: width, y: height } = map.getSize();
  if (!seen.intersects(L.bounds([0, 0], [width, height]))) return null;
  const [a, b] = [seen.getTopLeft(), seen.getBottomRight()];
  if (b.x - a.x < SMALL_PIXELS && b.y - a.y < SMALL_PIXELS) return { at: seen.getCenter(), corner: false };
  return { at: L.point(Math.min(b.x, width) - EDGE, Math.min(Math.max(a.y, 0) + MARGIN, height - MARGIN)), corner: true };
}

/** `1, 4, 9 +2` */
function textOf(shapes: readonly Shape[]): string {
  const ranks = shapes.map(({ rank }) => rank);
  return ranks.slice(0, NAMED).join(", ") + (ranks.length > NAMED ? ` +${ranks.length - NAMED}` : "");
}

/** An element and not a string: Leaflet reads strings as HTML, and titles come from other people. */
function titles(shapes: readonly Shape[]): HTMLElement {
  const element = document.createElement("span");
  element.textContent = shapes.slice(0, NAMED).map(({ rank, title }) => `${rank} ${title}`).join(" · ") + (shapes.length > NAMED ? " …" : "");
  return element;
}
