// Meridians and parallels, closer together when the map is closer.

import L from "leaflet";

const STEPS_DEG = [30, 15, 10, 5, 2, 1, 0.5] as const;
const LEAST_PIXELS = 50;
const REACH_DEG = 540;

export function addGraticule(map: L.Map): void {
  const pane = map.createPane("graticule");
  pane.style.zIndex = "240"; // above the land
  pane.style.pointerEvents = "none";
  const lines = L.polyline([], { pane: "graticule", className: "graticule", interactive: false }).addTo(map);

  function draw(): void {
    const bounds = map.getBounds().pad(0.2);
    const step = stepOf(map);
    const [west, east] = [Math.max(-REACH_DEG, bounds.getWest()), Math.min(REACH_DEG, bounds.getEast())];
    const [south, north] = [Math.max(-90, bounds.getSouth()), Math.min(90, bounds.getNorth())];
    const found: [number, number][][] = [];
    for (let lng = Math.ceil(west / step) * step; lng <= east; lng += step) found.push([[south, lng], [north, lng]]);
    for (let lat = Math.ceil(south / step) * step; lat <= north; lat += step) found.push([[lat, west], [lat, east]]);
    lines.setLatLngs(found);
  }

  map.on("moveend", draw);
  draw();
}

/** The closest lines that are far enough apart to be seen as lines. */
function stepOf(map: L.Map): number {
  const [a, b] = [map.project([0, 0]), map.project([0, 1])];
  const perDegree = Math.abs(b.x - a.x);
  return STEPS_DEG.filter((step) => step * perDegree >= LEAST_PIXELS).at(-1) ?? STEPS_DEG[0];
}
