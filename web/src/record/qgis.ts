// How QGIS opens what a record links to: a connection that it loads, or the address of a file.

import type { Access, Opening } from "./offers.ts";

/** The section of QGIS's data source manager. */
const SECTIONS: Partial<Record<Access, string>> = {
  wms: "WMS/WMTS",
  wmts: "WMS/WMTS",
  xyz: "XYZ Tiles",
  wfs: "WFS / OGC API - Features",
  features: "WFS / OGC API - Features",
  geojson: "Vector",
  vector: "Vector",
  csv: "Vector",
  raster: "Raster",
};

export interface Way {
  section: string;
  /** The file with the connection; null for a file, which QGIS opens by its address. */
  connection: string | null;
}

/** Null if QGIS does not open it from the net. */
export function qgisOf(opening: Opening, title: string): Way | null {
  const section = SECTIONS[opening.access];
  return section === undefined ? null : { section, connection: connectionOf(opening, title) };
}

function connectionOf({ access, href }: Opening, title: string): string | null {
  const said = `name="${escaped(title)}" url="${escaped(href)}"`;
  if (access === "wms" || access === "wmts") return file("qgsWMSConnections", "1.0", `<wms ${said}/>`);
  if (access === "xyz") return /\{-?y\}/.test(href) ? file("qgsXYZTilesConnections", "1.0", `<xyztiles ${said}/>`) : null;
  if (access === "wfs") return file("qgsWFSConnections", "1.1", `<wfs ${said} version="auto"/>`);
  if (access === "features") return file("qgsWFSConnections", "1.1", `<wfs ${said} version="OGC_API_FEATURES"/>`);
  return null;
}

function file(root: string, version: string, connection: string): string {
  return `<!DOCTYPE connections>\n<${root} version="${version}">\n  ${connection}\n</${root}>\n`;
}

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign).replace(/\s+/g, " ");
}
