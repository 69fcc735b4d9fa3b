// The polygons of a file that a reader chooses: GeoJSON, KML, GeoPackage or zipped shapefile. The file stays in the browser.

import type { Position } from "geojson";
import proj4 from "proj4";
import { parseZip } from "shpjs";
import { layersOfGeoPackage } from "./geoPackage.ts";
import { type FileArea, areaOfRings, ringsOfJson, ringsOfText } from "./geometries.ts";

export const LARGEST_BYTES = 30 * 1024 * 1024;

/** `unread`: the file is damaged, or its reference system is none that can be read. */
export type Refusal = "large" | "empty" | "unread";

export async function areaOfFile(file: File): Promise<FileArea | Refusal> {
  if (file.size > LARGEST_BYTES) return "large";
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    return areaOfRings(await ringsOf(bytes)) ?? "empty";
  } catch {
    return "unread"; // whatever the readers of foreign formats make of foreign bytes
  }
}

async function ringsOf(bytes: Uint8Array): Promise<Position[][]> {
  const start = String.fromCharCode(...bytes.subarray(0, 15));
  if (start.startsWith("PK") && !hasDirectory(bytes)) throw new RangeError("a zip without its end");
  if (start.startsWith("PK")) return [await parseZip(bytes.slice().buffer)].flat().flatMap(ringsOfJson);
  if (start !== "SQLite format 3") return ringsOfText(new TextDecoder().decode(bytes));
  return layersOfGeoPackage(bytes).flatMap(({ rings, system }) => rings.map((ring) => ring.map(degreesOf(system))));
}

/** Whether a zip has its end; the reader would look for it for ever. */
function hasDirectory(bytes: Uint8Array): boolean {
  const end = bytes.subarray(-66_000);
  return end.some((byte, at) => byte === 0x50 && end[at + 1] === 0x4b && end[at + 2] === 5 && end[at + 3] === 6);
}

/** A position in degrees; coordinates whose system is not known are taken as degrees. */
function degreesOf(system: string): (position: Position) => Position {
  if (!/^(PROJ|GEOG)/.test(system)) return (position) => position;
  const { inverse } = proj4(system);
  return (position) => inverse(position as [number, number]);
}
