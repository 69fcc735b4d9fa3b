// Which tiles of an operator's base layer cover a part of the world. Pure; any grid of plate carrée fits.

import type { TileGrid } from "../portal.ts";
import type { Box } from "../types.ts";

export interface Tile {
  key: string;
  url: string;
  /** Longitudes beyond 180 degrees where the world is repeated. */
  box: Box;
  /** The part of the picture that is no part of this world, if there is one: CSS's clip-path. */
  clip: string;
}

const ENLARGED = 1.4; // a tile's pixel may be drawn that much larger
const MOST_TILES = 120; // more only where the layer is too fine for this zoom: then the map shows its own land

/** The tiles in a view, which may reach around the world; none if they would be too many. */
export function tilesIn(view: Box, degreesPerPixel: number, template: string, grids: readonly TileGrid[]): Tile[] {
  const grid = grids.find(([, degrees]) => degrees <= degreesPerPixel * ENLARGED) ?? grids.at(-1);
  if (!grid) return [];
  const worlds = [-360, 0, 360].map((turn) => inOneWorld(view, turn, grid));
  const count = worlds.reduce((sum, { columns, rows }) => sum + columns.length * rows.length, 0);
  if (count > MOST_TILES) return [];
  return worlds.flatMap(({ turn, columns, rows }) => rows.flatMap((row) => columns.map((column) => tileAt(grid, template, turn, column, row))));
}

interface Wanted {
  turn: number;
  columns: number[];
  rows: number[];
}

/** Of the world that lies `turn` degrees further east. */
function inOneWorld(view: Box, turn: number, grid: TileGrid): Wanted {
  const [west, east] = [Math.max(view[0], turn - 180), Math.min(view[2], turn + 180)];
  const [south, north] = [Math.max(view[1], -90), Math.min(view[3], 90)];
  if (west >= east || south >= north) return { turn, columns: [], rows: [] };
  const [, degrees, gridWest, gridNorth, width, height, columns, rows] = grid;
  const [wide, high, left] = [width * degrees, height * degrees, gridWest + turn];
  return {
    turn,
    columns: within((west - left) / wide, (east - left) / wide, columns),
    rows: within((gridNorth - north) / high, (gridNorth - south) / high, rows),
  };
}

function tileAt([name, degrees, west, north, width, height]: TileGrid, template: string, turn: number, column: number, row: number): Tile {
  const [wide, high] = [width * degrees, height * degrees];
  const [x, y] = [west + turn + column * wide, north - row * high];
  const url = template.replace("{z}", encodeURIComponent(name)).replace("{x}", String(column)).replace("{y}", String(row));
  const beyond = [(y - 90) / high, (x + wide - turn - 180) / wide, (high - y - 90) / high, (turn - 180 - x) / wide];
  const clip = beyond.some((share) => share > 1e-6) ? `inset(${beyond.map((share) => `${(Math.max(0, share) * 100).toFixed(4)}%`).join(" ")})` : "";
  return { key: `${name}/${column}/${row}/${turn}`, url, box: [x, y - high, x + wide, y], clip };
}

/** The whole numbers from `first` to `last`, of those from 0 to `count`; one more than may be drawn is enough. */
function within(first: number, last: number, count: number): number[] {
  const [least, most] = [Math.max(0, Math.floor(first)), Math.min(count - 1, Math.ceil(last) - 1)];
  const length = Math.max(0, Math.min(most - least, MOST_TILES) + 1);
  return Array.from({ length }, (_, at) => least + at);
}
