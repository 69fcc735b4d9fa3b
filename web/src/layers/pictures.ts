// Pictures of a part of the world, from a service: of a grid of tiles, or drawn for the request.

import { layerHost } from "../portal.ts";
import { LayerFailure } from "./answers.ts";
import type { Projection } from "./projections.ts";

/** Edges in the units of a projection. */
export interface Edges {
  left: number;
  bottom: number;
  right: number;
  top: number;
}

export interface Picture {
  image: CanvasImageSource;
  width: number;
  height: number;
  edges: Edges;
}

export interface Pictures {
  projection: Projection;
  /** `resolution`: units of a pixel. Null where there is nothing. Raises LayerFailure. */
  of(edges: Edges, resolution: number): Promise<Picture | null>;
}

/** One zoom of a grid; rows count from the top. */
export interface Level {
  resolution: number;
  left: number;
  top: number;
  width: number;
  height: number;
  columns: number;
  rows: number;
  address(column: number, row: number): string;
}

const ENLARGED = 1.4; // a tile's pixel may be drawn that much larger
const MOST_TILES = 30;
const MOST_KEPT = 200;
const LARGEST_PIXELS = 1024;

/** Of an address for each picture. */
export function drawnPictures(projection: Projection, address: (edges: Edges, width: number, height: number) => string): Pictures {
  return {
    projection,
    async of(edges, resolution) {
      const [width, height] = [edges.right - edges.left, edges.top - edges.bottom].map((length) => Math.min(LARGEST_PIXELS, Math.max(1, Math.round(length / resolution)))) as [number, number];
      return { image: await loaded(address(edges, width, height)), width, height, edges };
    },
  };
}

/** Of tiles, set side by side. */
export function tiledPictures(projection: Projection, levels: readonly Level[]): Pictures {
  const finest = [...levels].sort((a, b) => b.resolution - a.resolution);
  const tiles = new Map<string, Promise<HTMLImageElement>>();
  const tile = (address: string) => {
    const kept = tiles.get(address) ?? loaded(address);
    tiles.delete(address);
    tiles.set(address, kept);
    for (const oldest of tiles.keys()) {
      if (tiles.size <= MOST_KEPT) break;
      tiles.delete(oldest);
    }
    return kept;
  };
  return {
    projection,
    async of(edges, resolution) {
      const fit = finest.findIndex((level) => level.resolution <= resolution * ENLARGED);
      for (let at = fit < 0 ? finest.length - 1 : fit; at >= 0; at -= 1) {
        const level = finest[at] as Level;
        const block = blockOf(level, edges, projection.turn);
        if (block === null) return null;
        if (block.columns.length * block.rows.length <= MOST_TILES || at === 0) return joined(level, block, tile);
      }
      return null;
    },
  };
}

interface Block {
  /** May lie further around the world than the grid goes. */
  columns: number[];
  rows: number[];
  /** Columns once around the world; 0 if the grid does not go around it. */
  around: number;
}

function blockOf({ resolution, left, top, width, height, columns, rows }: Level, edges: Edges, turn: number | null): Block | null {
  const [wide, high] = [width * resolution, height * resolution];
  const around = turn !== null && Math.abs(columns * wide - turn) < wide / 100 ? columns : 0;
  const across = range((edges.left - left) / wide, (edges.right - left) / wide, around ? Number.NEGATIVE_INFINITY : 0, around ? Number.POSITIVE_INFINITY : columns - 1);
  const down = range((top - edges.top) / high, (top - edges.bottom) / high, 0, rows - 1);
  return across.length > 0 && down.length > 0 ? { columns: across, rows: down, around } : null;
}

const EDGE = 1e-6; // of a tile, for numbers that are not quite whole

function range(first: number, last: number, least: number, most: number): number[] {
  const [from, to] = [Math.max(least, Math.floor(first + EDGE)), Math.min(most, Math.ceil(last - EDGE) - 1)];
  return Array.from({ length: Math.max(0, Math.min(to - from + 1, MOST_TILES * MOST_TILES)) }, (_, at) => from + at);
}

/** Raises LayerFailure if not one tile comes. */
async function joined(level: Level, { columns, rows, around }: Block, tile: (address: string) => Promise<HTMLImageElement>): Promise<Picture> {
  const { width, height, resolution, left, top } = level;
  const [column = 0, row = 0] = [columns[0], rows[0]];
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [columns.length * width, rows.length * height];
  const context = canvas.getContext("2d");
  const wanted = rows.flatMap((y) => columns.map((x) => ({ x, y, address: level.address(around ? ((x % around) + around) % around : x, y) })));
  const answers = await Promise.allSettled(wanted.map(({ address }) => tile(address)));
  answers.forEach((answer, at) => {
    const place = wanted[at];
    if (answer.status === "fulfilled" && place) context?.drawImage(answer.value, (place.x - column) * width, (place.y - row) * height, width, height);
  });
  const failed = answers.find((answer) => answer.status === "rejected");
  if (failed && answers.every((answer) => answer.status === "rejected")) throw failed.reason;
  const [west, north] = [left + column * width * resolution, top - row * height * resolution];
  return { image: canvas, width: canvas.width, height: canvas.height, edges: { left: west, top: north, right: west + canvas.width * resolution, bottom: north - canvas.height * resolution } };
}

/** Raises LayerFailure. */
async function loaded(address: string): Promise<HTMLImageElement> {
  if (!layerHost(address)) throw new LayerFailure("otherHost", new URL(address).host);
  const image = new Image();
  image.src = address;
  try {
    await image.decode();
  } catch {
    throw new LayerFailure("noPicture");
  }
  return image;
}
