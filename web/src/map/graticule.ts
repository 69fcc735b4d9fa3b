// Meridians and parallels, closer together when the map is closer; and paper around the world, so that it is seen once.

import L from "leaflet";
import type { Ground } from "./ground.ts";

export function addGraticule(map: L.Map, ground: Ground): void {
  paneOf(map, "graticule", "240"); // above the land
  paneOf(map, "frame", "450"); // above all that is repeated
  const lines = L.polyline([], { pane: "graticule", className: "graticule", interactive: false }).addTo(map);
  const renderer = L.svg({ pane: "frame", padding: 0.5 });
  const frame = L.polygon([], { pane: "frame", renderer, className: "frame", interactive: false }).addTo(map);

  function draw(): void {
    lines.setLatLngs(ground.graticule(map));
    frame.setLatLngs(ground.frame(map) as L.LatLngTuple[][]);
  }

  map.on("moveend resize", draw);
  draw();
}

function paneOf(map: L.Map, name: string, zIndex: string): void {
  const pane = map.createPane(name);
  pane.style.zIndex = zIndex;
  pane.style.pointerEvents = "none";
}
