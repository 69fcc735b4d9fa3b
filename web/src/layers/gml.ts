// Features of GML 2, 3.1 and 3.2 with plain geometries in degrees: points, lines, polygons and collections of these.

import type { Feature, Geometry, Position } from "geojson";
import { childrenOf, LayerFailure, within } from "./answers.ts";
import { codeOf, projectionOf } from "./projections.ts";

const MEMBERS = ["member", "featureMember", "featureMembers"];
const PARTS = /^(point|curve|lineString|polygon|surface|geometry)Members?$/;

/** Raises LayerFailure for what is no collection of features, and for coordinates that are no degrees. */
export function featuresOfGml(root: Element): Feature[] {
  if (!/FeatureCollection$/.test(root.localName)) throw new LayerFailure("unread");
  const members = MEMBERS.flatMap((name) => within(root, name)).filter((member) => !/^Multi|Geometry$/.test(member.parentElement?.localName ?? ""));
  return members.flatMap((member) => [...member.children]).map(featureOf);
}

function featureOf(element: Element): Feature {
  let geometry: Geometry | null = null;
  const properties: Record<string, string> = {};
  for (const property of element.children) {
    const [shape] = property.children;
    if (property.localName === "boundedBy") continue;
    if (shape) geometry ??= geometryOf(shape, isLatFirst(shape));
    else if (property.textContent) properties[property.localName] = property.textContent.trim();
  }
  return { type: "Feature", geometry: geometry as Geometry, properties };
}

/** By the name of its system: `EPSG:4326` has the longitude first, as an URN or an address the latitude. */
function isLatFirst(element: Element): boolean {
  const name = element.closest("[srsName]")?.getAttribute("srsName") ?? element.querySelector("[srsName]")?.getAttribute("srsName") ?? "";
  const code = codeOf(name.replace("#", ":"));
  if (name && projectionOf(code)?.turn !== 360) throw new LayerFailure("noGrid");
  return code !== "CRS84" && /^urn:|\/def\/crs\//i.test(name);
}

function geometryOf(element: Element, latFirst: boolean): Geometry | null {
  const parts = () => [...element.children].filter((child) => PARTS.test(child.localName)).flatMap((child) => [...child.children]).map((child) => geometryOf(child, latFirst)).filter((part) => part !== null);
  switch (element.localName) {
    case "Point":
      return { type: "Point", coordinates: positionsOf(element, latFirst)[0] ?? [] };
    case "LineString":
    case "LineStringSegment":
      return { type: "LineString", coordinates: positionsOf(element, latFirst) };
    case "Curve":
      return { type: "LineString", coordinates: positionsOf(element, latFirst) };
    case "Polygon":
    case "PolygonPatch":
      return { type: "Polygon", coordinates: ["exterior", "outerBoundaryIs", "interior", "innerBoundaryIs"].flatMap((name) => childrenOf(element, name)).map((ring) => positionsOf(ring, latFirst)) };
    case "Surface":
      return { type: "GeometryCollection", geometries: within(element, "PolygonPatch").map((patch) => geometryOf(patch, latFirst)).filter((part) => part !== null) };
    case "MultiPoint":
    case "MultiCurve":
    case "MultiLineString":
    case "MultiSurface":
    case "MultiPolygon":
    case "MultiGeometry":
      return { type: "GeometryCollection", geometries: parts() };
    default:
      return null;
  }
}

function positionsOf(element: Element, latFirst: boolean): Position[] {
  const lists = within(element, "posList").map((list) => chunks(list, Number(list.getAttribute("srsDimension") ?? list.closest("[srsDimension]")?.getAttribute("srsDimension") ?? 2)));
  const single = within(element, "pos").map((pos) => numbersIn(pos.textContent ?? ""));
  const old = within(element, "coordinates").map((list) => (list.textContent ?? "").trim().split(/\s+/).map((pair) => pair.split(",").map(Number)));
  return [...lists.flat(), ...single, ...old.flat()].map(([first = Number.NaN, second = Number.NaN]) => (latFirst ? [second, first] : [first, second]));
}

function chunks(list: Element, dimension: number): number[][] {
  const numbers = numbersIn(list.textContent ?? "");
  return Array.from({ length: Math.floor(numbers.length / dimension) }, (_, at) => numbers.slice(at * dimension, (at + 1) * dimension));
}

function numbersIn(text: string): number[] {
  return text.trim().split(/\s+/).map(Number);
}
