// Pictures of any projection redrawn in that of the map: in small cells, in each of which the one is a straight image of the other.

import L from "leaflet";
import { LayerFailure, type LayerState } from "./answers.ts";
import type { Edges, Picture, Pictures } from "./pictures.ts";

const TILE_PIXELS = 256;
const CELL_PIXELS = 8;
const ROW_PIXELS = 4;
const ROOM_PIXELS = 2; // around a picture, for smooth edges
const WIDEST_CELL_DEG = 100; // wider where a pole lies in it

type Corner = readonly [x: number, y: number];

/** A rectangle of pixels of the map, and where three of its corners lie in the other projection. */
interface Cell {
  x: number;
  y: number;
  width: number;
  height: number;
  corners: readonly [topLeft: Corner, topRight: Corner, bottomLeft: Corner];
  edges: Edges;
}

export type Report = (state: LayerState, detail?: string) => void;

/** Draws pictures on the map until the answer is called. */
export function drawPictures(map: L.Map, pictures: Pictures, pane: string, report: Report): () => void {
  const layer = L.gridLayer({ pane, minZoom: -2, minNativeZoom: 0, tileSize: TILE_PIXELS });
  const crs = map.options.crs ?? L.CRS.EPSG4326;
  let [good, failure] = [0, null as LayerFailure | null];
  const createTile = (coords: L.Coords, done: L.DoneCallback) => {
    const canvas = L.DomUtil.create("canvas", "leaflet-tile");
    [canvas.width, canvas.height] = [TILE_PIXELS, TILE_PIXELS];
    painted(canvas, crs, coords, pictures)
      .then((isDrawn) => {
        if (isDrawn) good += 1;
        done(undefined, canvas);
      })
      .catch((error: unknown) => {
        failure = error instanceof LayerFailure ? error : new LayerFailure("noPicture");
        done(failure, canvas);
      });
    return canvas;
  };
  Object.assign(layer, { createTile });
  layer.on("loading", () => {
    [good, failure] = [0, null];
    report("drawing");
  });
  layer.on("load", () => (good > 0 ? report("drawn") : report(failure?.state ?? "noPicture", failure?.detail)));
  layer.addTo(map);
  return () => void layer.off().remove();
}

/** Whether there was something. */
async function painted(canvas: HTMLCanvasElement, crs: L.CRS, coords: L.Coords, pictures: Pictures): Promise<boolean> {
  const cells = cellsOf(crs, coords, pictures);
  const [middle] = cells.slice(Math.floor(cells.length / 2));
  if (!middle) return false;
  const resolution = resolutionOf(middle);
  const isPlain = crs === L.CRS.EPSG4326 && pictures.projection.turn === 360;
  const picture = await pictures.of(grown(around(cells), isPlain ? 0 : ROOM_PIXELS * resolution), resolution);
  const context = canvas.getContext("2d");
  if (picture === null || context === null) return false;
  for (const cell of cells) paint(context, cell, picture);
  return true;
}

/** Full rows where meridians are straight in both, else small squares. Without those that the other projection does not show. */
function cellsOf(crs: L.CRS, coords: L.Coords, { projection }: Pictures): Cell[] {
  const isStraight = crs === L.CRS.EPSG4326 && projection.pole === null;
  const [width, height] = isStraight ? [TILE_PIXELS, ROW_PIXELS] : [CELL_PIXELS, CELL_PIXELS];
  const place = (x: number, y: number) => crs.pointToLatLng(L.point(coords.x * TILE_PIXELS + x, coords.y * TILE_PIXELS + y), coords.z);
  const west = isStraight ? Number.NEGATIVE_INFINITY : place(TILE_PIXELS / 2, TILE_PIXELS / 2).lng - 180;
  const cells: Cell[] = [];
  for (let y = 0; y < TILE_PIXELS; y += height) {
    for (let x = 0; x < TILE_PIXELS; x += width) {
      const places = [place(x, y), place(x + width, y), place(x, y + height), place(x + width, y + height)];
      const lngs = isStraight ? places.map(({ lng }) => lng) : together(places.map(({ lng }) => lng), west);
      const corners = places.map(({ lat }, at) => projection.project(lngs[at] as number, lat)).filter((corner) => corner !== null);
      const [topLeft, topRight, bottomLeft] = corners;
      if (corners.length < 4 || !topLeft || !topRight || !bottomLeft) continue;
      if (!isStraight && projection.pole === null && Math.max(...lngs) - Math.min(...lngs) > WIDEST_CELL_DEG) continue;
      cells.push({ x, y, width, height, corners: [topLeft, topRight, bottomLeft], edges: edgesOf(corners) });
    }
  }
  return cells;
}

/** Longitudes of one cell as neighbours, the first of them less than once around from `west`. */
function together(lngs: readonly number[], west: number): number[] {
  const first = beside(lngs[0] ?? 0, west + 180);
  return lngs.map((lng) => beside(lng, first));
}

function beside(lng: number, other: number): number {
  return lng - 360 * Math.round((lng - other) / 360);
}

function edgesOf(corners: readonly Corner[]): Edges {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
}

function around(cells: readonly Cell[]): Edges {
  return edgesOf(cells.flatMap(({ edges }): Corner[] => [[edges.left, edges.bottom], [edges.right, edges.top]]));
}

function grown({ left, bottom, right, top }: Edges, room: number): Edges {
  return { left: left - room, bottom: bottom - room, right: right + room, top: top + room };
}

/** Units of a pixel. */
function resolutionOf({ width, height, corners: [[x, y], [rightX, rightY], [lowX, lowY]] }: Cell): number {
  return Math.sqrt(Math.abs((rightX - x) * (lowY - y) - (rightY - y) * (lowX - x)) / (width * height));
}

function paint(context: CanvasRenderingContext2D, { x, y, width, height, corners }: Cell, { image, edges, ...size }: Picture): void {
  const [across, down] = [size.width / (edges.right - edges.left), size.height / (edges.top - edges.bottom)];
  const [[left = 0, top = 0] = [], [right = 0, rightTop = 0] = [], [lowLeft = 0, low = 0] = []] = corners.map((corner) => [(corner[0] - edges.left) * across, (edges.top - corner[1]) * down]);
  const [a, b, c, d] = [(right - left) / width, (rightTop - top) / width, (lowLeft - left) / height, (low - top) / height];
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.setTransform(new DOMMatrix([a, b, c, d, left - a * x - c * y, top - b * x - d * y]).inverse());
  context.drawImage(image, 0, 0, size.width, size.height);
  context.restore();
}
