// How the operator's portal calls and shows itself, as the service says in the page's head.

import type { Box } from "./types.ts";

/** One level of tiles: name, degrees of a pixel, west and north of the first tile, its size in pixels, columns, rows. */
export type TileGrid = readonly [
  name: string, degrees: number, west: number, north: number, width: number, height: number, columns: number, rows: number,
];

/** Tiles of an operator: addresses with `{z}` (a grid's name), `{x}` and `{y}`; grids from coarse to fine. */
export interface BaseLayer {
  name: string;
  attribution: string;
  attributionUrl: string | null;
  template: string;
  grids: readonly TileGrid[];
}

/** Where users sign in: an issuer of OpenID Connect, and the page's name there. */
export interface Issuer {
  issuer: string;
  client: string;
  scopes: readonly string[];
}

interface Portal {
  name: string;
  tagline: string;
  intro: string;
  footer: string;
  links: { title: string; href: string }[];
  startMap: Box | null;
  logo: string | null;
  /** Whether the page searches while the user types. */
  whileTyping: boolean;
  baseLayer: BaseLayer | null;
  /** Origins whose services are drawn on a record's map: `https://maps.example`, `https://*.example`. */
  layerHosts: readonly string[];
  /** How kept searches tell what is new; empty if the service keeps none. */
  saves: readonly ("feed" | "mail")[];
  /** Null: users have keys. */
  signIn: Issuer | null;
  /** Who gives a key, in the operator's words. */
  keyHelp: string;
}

const SONDE: Portal = { name: "Sonde", tagline: "", intro: "", footer: "", links: [], startMap: null, logo: null, whileTyping: true, baseLayer: null, layerHosts: [], saves: [], signIn: null, keyHelp: "" };

function said(name: string): string {
  return globalThis.document?.querySelector<HTMLMetaElement>(`meta[name="sonde-${name}"]`)?.content ?? "";
}

export const portal: Portal = { ...SONDE, ...(JSON.parse(said("portal") || "{}") as Partial<Portal>) };

/** Whether the page is a frame in another page: without header and footer, and records open in a new tab. */
export const embedded = said("embedded") === "yes";

/** Whether the operator allows layers of this address. */
export function layerHost(href: string): boolean {
  if (!URL.canParse(href)) return false;
  const { origin } = new URL(href);
  return portal.layerHosts.some((allowed) => {
    const [scheme = "", host = ""] = allowed.toLowerCase().split("//*.");
    return host ? origin.startsWith(`${scheme}//`) && origin.endsWith(`.${host}`) : origin === allowed.toLowerCase();
  });
}

/** The address of the search, relative to the root. */
export const SEARCH = embedded ? "embed" : "./";

export function setTitle(view?: string): void {
  document.title = view ? `${view} – ${portal.name}` : portal.name;
}
