// Drawing a box with mouse, pen or finger. The fields beside the map are the alternative to dragging.

import L from "leaflet";
import { boxBetween } from "../boxes.ts";
import type { Box } from "../types.ts";

const LEAST_PIXELS = 6;

export interface Drawing {
  begin(): void;
  end(): void;
}

/** `done` is called with the box, or null if drawing was cancelled. */
export function drawingOf(map: L.Map, done: (box: Box | null) => void): Drawing {
  const element = map.getContainer();
  let from: L.Point | null = null;
  let sketch: L.Rectangle | null = null;

  const at = (event: PointerEvent) => map.mouseEventToContainerPoint(event);
  const corner = (point: L.Point) => map.containerPointToLatLng(point);

  function press(event: PointerEvent): void {
    if ((event.target as Element).closest(".leaflet-control")) return;
    event.preventDefault();
    event.stopPropagation();
    element.setPointerCapture(event.pointerId);
    from = at(event);
  }

  function move(event: PointerEvent): void {
    if (from === null) return;
    const bounds = L.latLngBounds(corner(from), corner(at(event)));
    if (sketch) sketch.setBounds(bounds);
    else sketch = L.rectangle(bounds, { className: "asked filter", interactive: false }).addTo(map);
  }

  function release(event: PointerEvent): void {
    if (from === null) return;
    const to = at(event);
    const box = from.distanceTo(to) < LEAST_PIXELS ? null : boxBetween(corner(from), corner(to));
    end();
    done(box);
  }

  function key(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    end();
    done(null);
  }

  function begin(): void {
    map.dragging.disable();
    element.classList.add("drawing");
    element.addEventListener("pointerdown", press, true);
    element.addEventListener("pointermove", move);
    element.addEventListener("pointerup", release);
    document.addEventListener("keydown", key);
  }

  function end(): void {
    from = null;
    sketch?.remove();
    sketch = null;
    map.dragging.enable();
    element.classList.remove("drawing");
    element.removeEventListener("pointerdown", press, true);
    element.removeEventListener("pointermove", move);
    element.removeEventListener("pointerup", release);
    document.removeEventListener("keydown", key);
  }

  return { begin, end };
}
