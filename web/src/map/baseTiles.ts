// An operator's tiles between the land and the shades, each a picture at its place. Where one is missing, the land is seen.

import L from "leaflet";
import type { BaseLayer } from "../portal.ts";
import { type Tile, tilesIn } from "./tiles.ts";

const FAILURES = 3;

export interface BaseTiles {
  /** `failed`: the first tiles could not be loaded, and the layer is off again. */
  show(on: boolean, failed: () => void): void;
}

export function baseTilesOf(map: L.Map, layer: BaseLayer): BaseTiles {
  const pane = map.createPane("tiles");
  pane.style.zIndex = "220";
  pane.style.pointerEvents = "none";
  const shown = new Map<string, L.ImageOverlay>();
  let [on, loading, good, bad] = [false, 0, 0, 0];
  let wanted = new Set<string>();
  let tell: () => void = () => undefined;

  function draw(): void {
    if (!on) return;
    const bounds = map.getBounds();
    const [west, east] = [bounds.getWest(), bounds.getEast()];
    const degrees = (east - west) / Math.max(1, map.getSize().x);
    const tiles = tilesIn([west, bounds.getSouth(), east, bounds.getNorth()], degrees, layer.template, layer.grids);
    wanted = new Set(tiles.map(({ key }) => key));
    for (const tile of tiles) if (!shown.has(tile.key)) add(tile);
    tidy();
  }

  function add({ key, url, box: [west, south, east, north], clip }: Tile): void {
    const tile = L.imageOverlay(url, [[south, west], [north, east]], { pane: "tiles", interactive: false });
    loading += 1;
    const ended = (error: boolean) => {
      loading -= 1;
      if (error) {
        bad += 1;
        tile.remove();
      } else good += 1;
      if (good === 0 && bad >= FAILURES && on) {
        show(false);
        tell();
      } else tidy();
    };
    tile.once("load", () => ended(false));
    tile.once("error", () => ended(true));
    shown.set(key, tile.addTo(map));
    tile.getElement()?.style.setProperty("clip-path", clip || "none");
  }

  /** The tiles of the zoom before stay until those of this one are there. */
  function tidy(): void {
    if (loading > 0) return;
    for (const [key, tile] of shown) if (!wanted.has(key)) drop(key, tile);
  }

  function drop(key: string, tile: L.ImageOverlay): void {
    tile.remove();
    shown.delete(key);
  }

  function show(now: boolean): void {
    on = now;
    [loading, good, bad] = [0, 0, 0];
    if (!on) for (const [key, tile] of shown) drop(key, tile.off());
    draw();
  }

  map.on("moveend resize", draw);
  return {
    show(now, failed) {
      tell = failed;
      if (now !== on) show(now);
    },
  };
}
