// The world from above a pole: stereographic, 0° of longitude below the north pole and above the south pole, as in EPSG:3995 and EPSG:3031.

import L from "leaflet";
import { cornersOf, type Ground } from "./ground.ts";
import { unwrapped } from "./rings.ts";
import type { Ring } from "./shapes.ts";

const FARTHEST_DEG = 140; // from the pole; what lies beyond is drawn there, outside of the map
const SEEN_DEG = 35; // from the pole at first
const STEP_DEG = 3;
const RADIANS = Math.PI / 180;

export function polarGround(north: boolean): Ground {
  const pole = north ? 1 : -1;
  return {
    crs: crsOf(pole),
    limits: { minZoom: 0 },
    start: circle(pole * (90 - SEEN_DEG)),
    turns: [0],
    land: (ring) => (ring.some(([, lat = 0]) => pole * lat > -50) ? unwrapped(ring) : []),
    polygons: (ring) => [isWhole(ring) ? [...new Set(ring.map(([lat]) => lat))].map(circle) : [bent(ring)]],
    around: (boxes) => boxes.flatMap((box) => (pole * (north ? box[1] : box[3]) < 0 ? [] : bent(cornersOf(box)))),
    graticule: () => [...[80, 70, 60, 50, 40, 30, 20, 10, 0].map((lat) => [...circle(pole * lat)]), ...meridians(pole)],
    view(map) {
      const bounds = map.getPixelBounds();
      const corners = [bounds.getTopLeft(), bounds.getTopRight(), bounds.getBottomLeft(), bounds.getBottomRight()];
      const farthest = Math.min(...corners.map((corner) => pole * map.unproject(corner).lat));
      return north ? [-180, farthest, 180, 90] : [-180, -90, 180, -farthest];
    },
    frame: () => [],
  };
}

function crsOf(pole: 1 | -1): L.CRS {
  const projection: L.Projection = {
    project({ lat, lng }) {
      const off = Math.min(FARTHEST_DEG, 90 - pole * lat);
      const radius = (2 / RADIANS) * Math.tan((off / 2) * RADIANS);
      return L.point(radius * Math.sin(lng * RADIANS), -pole * radius * Math.cos(lng * RADIANS));
    },
    unproject(point) {
      const { x, y } = L.point(point);
      const off = (2 / RADIANS) * Math.atan((Math.hypot(x, y) * RADIANS) / 2);
      return L.latLng(pole * (90 - off), Math.atan2(x, -pole * y) / RADIANS);
    },
    bounds: L.bounds([-320, -320], [320, 320]),
  };
  return L.Util.extend({} as L.CRS, L.CRS.EPSG4326, { code: `polar ${pole}`, projection, transformation: L.transformation(1 / 180, 0, -1 / 180, 0), wrapLng: undefined });
}

/** Its edges are no straight lines here: with positions between the corners. */
function bent(ring: Ring): L.LatLngTuple[] {
  return ring.flatMap(([lat, lng], at): L.LatLngTuple[] => {
    const [nextLat, nextLng] = ring[(at + 1) % ring.length] ?? [lat, lng];
    const steps = Math.max(1, Math.ceil(Math.max(Math.abs(nextLat - lat), Math.abs(nextLng - lng)) / STEP_DEG));
    return Array.from({ length: steps }, (_, step) => [lat + ((nextLat - lat) * step) / steps, lng + ((nextLng - lng) * step) / steps]);
  });
}

/** Whether it is a box around the whole world, which is a ring between two parallels here. */
function isWhole(ring: Ring): boolean {
  const lngs = ring.map(([, lng]) => lng);
  return ring.length === 4 && Math.max(...lngs) - Math.min(...lngs) >= 360;
}

function circle(lat: number): Ring {
  return Array.from({ length: 121 }, (_, step): L.LatLngTuple => [lat, step * 3 - 180]);
}

function meridians(pole: 1 | -1): L.LatLngTuple[][] {
  return Array.from({ length: 12 }, (_, at) => [[0, at * 30], [pole * 80, at * 30]]);
}
