// Drawing a box, a polygon or a circle with mouse, pen or finger, and moving the corners of one. The fields beside the map are the alternative.

import L from "leaflet";
import { boxOfRing } from "../boxes.ts";
import { circleOf, distanceKm, ringOfCircle, type Tool } from "./areas.ts";
import { cornersOf, type Ground } from "./ground.ts";
import type { Area, Ring } from "./shapes.ts";

const LEAST_PIXELS = 6;

/** `done` is called with the positions that make the area, or null if drawing was given up. Returns a function that ends it.
 * A box has two positions: opposite corners. */
export function draw(map: L.Map, ground: Ground, tool: Tool, done: (ring: Ring | null) => void): () => void {
  const element = map.getContainer();
  const sketch = L.polygon([], { className: "asked filter", interactive: false }).addTo(map);
  let [corners, down]: [L.LatLngTuple[], L.Point | null] = [[], null];

  const at = (event: PointerEvent) => map.mouseEventToContainerPoint(event);
  const position = (point: L.Point): L.LatLngTuple => {
    const { lat, lng } = map.containerPointToLatLng(point);
    const [last] = corners.slice(-1);
    return [lat, ground.turns.length > 1 || !last ? lng : lng + 360 * Math.round((last[1] - lng) / 360)];
  };
  const near = (a: L.Point, corner: L.LatLngTuple) => a.distanceTo(map.latLngToContainerPoint(corner)) < 2 * LEAST_PIXELS;

  function show(end: L.LatLngTuple | null): void {
    const ring = outline(tool, end ? [...corners, end] : corners);
    sketch.setLatLngs(ring.length > 1 ? (ground.polygons(ring)[0] as L.LatLngTuple[][]) : []);
  }

  function press(event: PointerEvent): void {
    if ((event.target as Element).closest(".leaflet-control")) return;
    event.preventDefault();
    event.stopPropagation();
    element.setPointerCapture(event.pointerId);
    down = at(event);
    if (tool !== "polygon") corners = [position(down)];
  }

  function move(event: PointerEvent): void {
    if (corners.length > 0) show(position(at(event)));
  }

  function release(event: PointerEvent): void {
    if (down === null) return;
    const point = at(event);
    const still = down.distanceTo(point) < LEAST_PIXELS;
    down = null;
    const [from] = corners;
    if (tool === "polygon") {
      add(point);
      return;
    }
    end();
    done(still || !from ? null : tool === "box" ? [from, position(point)] : outline(tool, [from, position(point)]));
  }

  /** The first corner again, or the last one, closes the polygon. */
  function add(point: L.Point): void {
    const [first, last] = [corners[0], corners.at(-1)];
    const closes = [first, last].some((corner) => corner && near(point, corner));
    if (closes && corners.length > 2) finish();
    else if (!closes) {
      corners.push(position(point));
      show(null);
    }
  }

  function finish(): void {
    end();
    done(corners.length > 2 ? corners : null);
  }

  function key(event: KeyboardEvent): void {
    if (event.key === "Escape") corners = [];
    else if (event.key !== "Enter" || tool !== "polygon") return;
    event.preventDefault();
    finish();
  }

  function end(): void {
    sketch.remove();
    map.dragging.enable();
    map.doubleClickZoom.enable();
    element.classList.remove("drawing");
    element.removeEventListener("pointerdown", press, true);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", release);
    document.removeEventListener("keydown", key);
  }

  map.dragging.disable();
  map.doubleClickZoom.disable();
  element.classList.add("drawing");
  element.addEventListener("pointerdown", press, true);
  element.addEventListener("pointermove", move);
  element.addEventListener("pointerup", release);
  document.addEventListener("keydown", key);
  return end;
}

function outline(tool: Tool, corners: readonly L.LatLngTuple[]): Ring {
  const [a, b] = corners;
  if (tool === "polygon" || !a || !b) return corners;
  if (tool === "circle") return ringOfCircle({ centre: a, radiusKm: distanceKm(a, b) });
  return cornersOf(boxOfRing([a, b])).map(([lat, lng]): L.LatLngTuple => [lat, lng + 360 * Math.round((a[1] - lng) / 360)]);
}

/** Handles on an area's corners, or on a circle's centre and edge. `done`: as with `draw`. Returns a function that ends it. */
export function edit(map: L.Map, area: Area, done: (ring: Ring) => void): () => void {
  const circle = area.tool === "circle" ? circleOf(area.ring) : null;
  const positions: L.LatLngTuple[] = circle ? [circle.centre, ringOfCircle(circle)[12] ?? circle.centre] : area.ring.map(([lat, lng]) => [lat, lng]);
  const handles = positions.map((position) => {
    const icon = L.divIcon({ className: "area-handle", iconSize: [16, 16] });
    return L.marker(position, { icon, draggable: true, keyboard: false, zIndexOffset: 10_000 }).addTo(map);
  });
  const moved = (index: number) => {
    const now = handles.map((handle): L.LatLngTuple => [handle.getLatLng().lat, handle.getLatLng().lng]);
    const [a, b, c] = [now[0], now[1], now[index]];
    if (area.tool === "polygon") done(now);
    else if (area.tool === "box") done([c, now[(index + 2) % 4]] as L.LatLngTuple[]);
    else if (circle && a && b) done(ringOfCircle({ centre: a, radiusKm: index === 0 ? circle.radiusKm : distanceKm(a, b) }));
  };
  for (const [index, handle] of handles.entries()) handle.on("dragend", () => moved(index));
  return () => {
    for (const handle of handles) handle.remove();
  };
}
