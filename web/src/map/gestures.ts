// The wheel and one finger scroll the page, also above a map: Ctrl with the wheel, or two fingers, move the map.

/** `hint` is called when somebody tries it otherwise. It ends with the map's element. */
export function gesturesOn(map: HTMLElement, hint: (kind: "wheel" | "finger") => void): void {
  const drawing = () => map.classList.contains("drawing");

  function wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    event.stopPropagation(); // Leaflet does not see it, and the page scrolls
    hint("wheel");
  }

  function touch(event: TouchEvent): void {
    if (event.touches.length === 1 && !drawing()) event.stopPropagation(); // the second finger begins to zoom
  }

  function move(event: TouchEvent): void {
    if (event.touches.length === 1 && !drawing()) hint("finger");
  }

  map.addEventListener("wheel", wheel, { capture: true });
  map.addEventListener("touchstart", touch, { capture: true, passive: true });
  map.addEventListener("touchmove", move, { passive: true });
}
