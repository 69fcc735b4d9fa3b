// What a record really offers: files, services that a program opens, and the page of its data.

import type { Link } from "../types.ts";

export type Access = "wms" | "wmts" | "xyz" | "wfs" | "features" | "opendap" | "zarr" | "netcdf" | "csv" | "parquet" | "geojson" | "vector" | "raster";

/** A link that a program can open; `href` is the address that the program wants. */
export interface Opening {
  access: Access;
  href: string;
  /** As the metadata call it: of a service often the layer's name. */
  name: string;
}

export interface Offers {
  /** Links to files. */
  files: Link[];
  /** Where the provider hands out the data, if it is a page. */
  page: Link | null;
  openings: Opening[];
}

const SERVICES = new Set<Access>(["wms", "wmts", "xyz", "wfs", "features", "opendap", "zarr"]);
/** The first that fits wins: what the link says of itself (protocol, media type), or its address. */
const KINDS: readonly [access: Access, said: RegExp, address: RegExp][] = [
  ["wmts", /\bwmts\b/, /[?&]service=wmts\b|\/wmts\/?(\?|$)|wmtscapabilities\.xml$/],
  ["wms", /\bwms\b/, /[?&]service=wms\b|\/wms\/?(\?|$)|\/wmsserver\/?(\?|$)/],
  ["wfs", /\bwfs\b/, /[?&]service=wfs\b|\/wfs\/?(\?|$)|\/wfsserver\/?(\?|$)/],
  ["xyz", /\btms\b|tilejson|\bxyz\b/, /(\{|%7b)-?y(\}|%7d)|\/tms\/1\.0\.0\b|tilemapresource\.xml$/],
  ["features", /ogc ?api[ -:]*features|oapif/, /\/collections\/[^/?#]+\/items\/?(\?|$)/],
  ["opendap", /opendap|\bdods\b/, /\/dodsc\/|\/opendap\/|\/erddap\/griddap\//],
  ["zarr", /zarr/, /\.zarr\/?$/],
  ["netcdf", /x-netcdf\d?\b|x-hdf5?\b/, /\.(nc|nc4|cdf|h5|hdf5)$/],
  ["csv", /text\/csv/, /\.csv(\.gz)?$/],
  ["parquet", /parquet/, /\.parquet$/],
  ["geojson", /geo\+json/, /\.geojson$/],
  ["vector", /geopackage|flatgeobuf/, /\.(gpkg|fgb|gml|kml|shp|shp\.zip)$/],
  ["raster", /image\/tiff/, /\.(tif|tiff|geotiff)$/],
];
const FILE = /\.(nc4?|cdf|h5|hdf5?|he5|grib?2?|grb2?|csv|tsv|txt|json|geojson|gpkg|fgb|gml|kmz?|shp|tiff?|jp2|parquet|xlsx?|zip|gz|tgz|bz2|7z|tar|xml|asc|las|laz|mat|zarr)$/;
const HANDED_OUT = new Set(["download", "enclosure", "data", "item"]);
/** Pages and documents of a data server, which hold no data. */
const LISTING = /catalog(ue)?\.(html|xml)$|contents\.html$|\/$/;
const FORM = /\.(html|das|dds|dmr|info|ascii|help|ver)$/;

/** Of links of the metadata; those that the last check found broken are left out. */
export function offersOf(links: readonly Link[]): Offers {
  const working = links.filter((link) => !link["sonde:broken"] && /^(https?|ftp):/i.test(link.href) && link.rel !== "preview");
  const openings = working.map(openingOf).filter((one) => one !== null);
  const files = working.filter(isFile);
  const page = working.find((link) => HANDED_OUT.has(link.rel ?? "") && !isFile(link) && accessOf(link) === null) ?? working.find((link) => link.rel === "order") ?? working.find((link) => link.rel === "about") ?? null;
  return { files, page, openings: openings.filter((one, at) => openings.findIndex((other) => other.href === one.href && other.access === one.access) === at) };
}

function accessOf(link: Link): Access | null {
  const said = `${link["sonde:protocol"] ?? ""} ${link.type ?? ""}`.toLowerCase();
  const address = link.href.toLowerCase();
  const path = pathOf(link.href);
  const kind = KINDS.find(([, words, place]) => words.test(said) || place.test(address) || place.test(path))?.[0] ?? null;
  return kind === "opendap" && LISTING.test(path) ? null : kind;
}

function openingOf(link: Link): Opening | null {
  const access = accessOf(link);
  if (access === null || !/^https?:/i.test(link.href)) return null;
  return { access, href: openedAt(access, link.href), name: link.title ?? "" };
}

/** Without the request of a service (programs make their own), and without the form that OPeNDAP servers show people. */
function openedAt(access: Access, href: string): string {
  const url = new URL(href);
  if (access === "opendap") {
    url.search = "";
    url.pathname = url.pathname.replace(FORM, "");
  }
  if (access === "wms" || access === "wmts" || access === "wfs") {
    for (const name of [...url.searchParams.keys()]) if (/^(service|request|version)$/i.test(name)) url.searchParams.delete(name);
  }
  url.hash = "";
  return access === "xyz" ? url.href.replace(/%7b(-?\w+)%7d/gi, "{$1}") : url.href; // places for numbers
}

function isFile(link: Link): boolean {
  const access = accessOf(link);
  if (access !== null && SERVICES.has(access)) return false;
  if (access !== null) return true;
  return HANDED_OUT.has(link.rel ?? "") && FILE.test(pathOf(link.href));
}

function pathOf(href: string): string {
  try {
    return new URL(href).pathname.toLowerCase();
  } catch {
    return "";
  }
}

/** The format of a file by the end of its name, for its label: `NC`, `ZIP`. */
export function endingOf(href: string): string {
  return (/\.([a-z0-9]{1,8})$/.exec(pathOf(href))?.[1] ?? "").toUpperCase();
}
