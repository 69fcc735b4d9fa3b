// The wheel and one finger scroll the page, also above a map: Ctrl with the wheel, or two fingers, move the map.

const PLACE = ".leaflet-container:not(.drawing)";

/** `hint` is called when somebody tries it otherwise. Returns a function that ends this. */
export function gesturesOn(frame: HTMLElement, hint: (kind: "wheel" | "finger") => void): () => void {
  const above = (event: Event) => (event.target as Element).closest(PLACE) !== null;

  function wheel(event: WheelEvent): void {
    if (!above(event) || event.ctrlKey || event.metaKey) return;
    event.stopPropagation(); // Leaflet does not see it, and the page scrolls
    hint("wheel");
  }

  function touch(event: TouchEvent): void {
    if (event.touches.length === 1 && above(event)) event.stopPropagation(); // the second finger begins to zoom
  }

  function move(event: TouchEvent): void {
    if (event.touches.length === 1 && above(event)) hint("finger");
  }

  frame.addEventListener("wheel", wheel, { capture: true });
  frame.addEventListener("touchstart", touch, { capture: true, passive: true });
  frame.addEventListener("touchmove", move, { passive: true });
  return () => {
    frame.removeEventListener("wheel", wheel, { capture: true });
    frame.removeEventListener("touchstart", touch, { capture: true });
    frame.removeEventListener("touchmove", move);
  };
}
