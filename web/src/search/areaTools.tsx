// The area of the search: drawn on the map, typed as coordinates, or read from a file.

import { useEffect, useMemo, useState } from "preact/hooks";
import { changed, readBox } from "../address.ts";
import { boxOfRing } from "../boxes.ts";
import { type Circle, circleOf, ringOfCircle, ringOfRings, ringOfText, textOfRing, type Tool, wktOfRing } from "../map/areas.ts";
import { ringsOfArea } from "../map/geometries.ts";
import type { Area, Ring } from "../map/shapes.ts";
import { useLoadedMapWords } from "../map/words/index.ts";
import { goSearch } from "../route.ts";
import type { Box } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";

interface Props {
  search: URLSearchParams;
  filter: Box | null;
  drawing: Tool | null;
  draw: (tool: Tool | null) => void;
  edit: (area: Area | null) => void;
  /** The last polygon crossed itself. */
  crossing: boolean;
}

const TOOLS: readonly Tool[] = ["box", "polygon", "circle"];
const RELATIONS = ["intersects", "within", "contains", "disjoint"] as const;

/** The search in this area; null if the area crosses itself. */
export function searchOfArea(search: URLSearchParams, { tool, ring }: Area): URLSearchParams | null {
  if (tool === "box") return changed(search, "bbox", boxOfRing(ring).join(","));
  const wkt = wktOfRing(ring);
  return wkt === null ? null : changed(search, "geometry", wkt);
}

export function AreaTools({ search, filter, drawing, draw, edit, crossing }: Props) {
  const page = useWords();
  const words = useLoadedMapWords(useLocale());
  const [editing, setEditing] = useState(false);
  const geometry = search.get("geometry");
  const area = useMemo(() => areaOf(filter, geometry), [filter, geometry]);
  const parts = useMemo(() => (geometry === null || area ? 0 : ringsOfArea(geometry).length), [geometry, area]);
  useEffect(() => edit(editing ? area : null), [editing, area]);
  if (!words) return null;
  const clear = () => {
    setEditing(false);
    goSearch(changed(changed(search, "bbox", null), "geometry", null));
  };
  return (
    <>
      <div class="row">
        {TOOLS.map((tool) => (
          <button key={tool} type="button" aria-pressed={drawing === tool} aria-label={words.draw[tool]} onClick={() => draw(drawing === tool ? null : tool)}>
            {words.shapes[tool]}
          </button>
        ))}
        <AreaFile search={search} />
      </div>
      <p role="status" class="area-hint small soft">{drawing ? words.drawHelp[drawing] : ""}</p>
      {crossing && <p role="alert" class="wrong-field">{words.crossing}</p>}
      {parts > 1 && <p class="small soft">{words.parts({ n: parts })}</p>}
      <div class="row">
        {area && (
          <button type="button" aria-pressed={editing} onClick={() => setEditing(!editing)}>
            {words.edit}
          </button>
        )}
        {(filter ?? geometry) && <button type="button" class="plain" onClick={clear}>{page.clearArea}</button>}
        {(filter ?? geometry ?? search.get("place")) && <RelationChoice search={search} />}
      </div>
      <AreaFields search={search} area={area} />
    </>
  );
}

/** The searched area, if it can be changed here: not one of several parts. */
function areaOf(filter: Box | null, geometry: string | null): Area | null {
  if (filter) {
    const [west, south, east, north] = filter;
    const end = east < west ? east + 360 : east;
    return { tool: "box", ring: [[south, west], [north, west], [north, end], [south, end]] };
  }
  const ring = geometry === null ? null : ringOfRings(ringsOfArea(geometry));
  return ring && { tool: circleOf(ring) ? "circle" : "polygon", ring };
}

/** An area from a file, which stays in the browser. */
function AreaFile({ search }: { search: URLSearchParams }) {
  const page = useWords();
  const words = useLoadedMapWords(useLocale());
  const [state, setState] = useState<"reading" | "simplified" | "large" | "empty" | "unread" | null>(null);
  const read = async (file: File | undefined) => {
    if (!file) return;
    setState("reading");
    const area = await import("../map/areaFiles.ts").then(({ areaOfFile }) => areaOfFile(file));
    if (typeof area === "string") return setState(area);
    setState(area.simplified ? "simplified" : null);
    goSearch(changed(search, "geometry", area.wkt));
  };
  const fails = state === "large" || state === "empty" || state === "unread";
  return (
    <>
      <label class="area-file as-button" title={page.areaFileHelp}>
        {page.areaFile}
        <input type="file" class="unseen" accept=".geojson,.json,.kml,.gpkg,.zip" onChange={(event) => void read(event.currentTarget.files?.[0])} />
      </label>
      {state && <span role={fails ? "alert" : "status"} class={fails ? "wrong-field" : "small soft"}>{words?.fileStates[state]}</span>}
    </>
  );
}

function RelationChoice({ search }: { search: URLSearchParams }) {
  const words = useWords();
  return (
    <label class="inline">
      <span>{words.areaRelation}</span>
      <select value={search.get("relation") ?? "intersects"} onChange={(event) => goSearch(changed(search, "relation", event.currentTarget.value))}>
        {RELATIONS.map((relation) => (
          <option key={relation} value={relation}>
            {words.relations[relation]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The same area as numbers, as an alternative to drawing. */
function AreaFields({ search, area }: { search: URLSearchParams; area: Area | null }) {
  const page = useWords();
  const words = useLoadedMapWords(useLocale());
  const [tool, setTool] = useState<Tool>(area?.tool ?? "box");
  const [fields, setFields] = useState(() => fieldsOf(area));
  const [wrong, setWrong] = useState<Tool | null>(null);
  useEffect(() => {
    if (area) setTool(area.tool);
    setFields(fieldsOf(area));
    setWrong(null);
  }, [area]);
  if (!words) return null;
  const errors = { box: page.wrongArea, circle: words.wrongCircle, polygon: words.wrongPolygon };
  const set = (name: string, value: string) => setFields({ ...fields, [name]: value });

  function use(event: Event): void {
    event.preventDefault();
    const ring = ringOfFields(tool, fields);
    const after = ring && searchOfArea(search, { tool, ring });
    setWrong(after ? null : tool);
    if (after) goSearch(after);
  }

  const field = (name: string, label: string) => (
    <label key={name}>
      <span>{label}</span>
      <input type="number" step="any" name={name} value={fields[name] ?? ""} aria-invalid={wrong !== null} aria-describedby={wrong ? "area-wrong" : undefined} onInput={(event) => set(name, event.currentTarget.value)} />
    </label>
  );
  return (
      <form class="area-fields" onSubmit={use} noValidate>
        <label class="inline">
          <span>{words.shape}</span>
          <select value={tool} onChange={(event) => setTool(event.currentTarget.value as Tool)}>
            {TOOLS.map((one) => <option key={one} value={one}>{words.shapes[one]}</option>)}
          </select>
        </label>
        <div class="edges">
          {tool === "box" && EDGES.map((name) => field(name, page.edges[name]))}
          {tool === "circle" && [field("latitude", words.latitude), field("longitude", words.longitude), field("radius", words.radius)]}
          {tool === "polygon" && (
            <label class="corners">
              <span>{words.corners}</span>
              <textarea name="corners" rows={4} value={fields.corners} aria-invalid={wrong !== null} aria-describedby={wrong ? "area-wrong" : undefined} onInput={(event) => set("corners", event.currentTarget.value)} />
            </label>
          )}
          <button type="submit">{page.useArea}</button>
        </div>
        <p id="area-wrong" role="alert" class="wrong-field" hidden={wrong === null}>
          {wrong ? errors[wrong] : ""}
        </p>
      </form>
  );
}

const EDGES = ["west", "south", "east", "north"] as const;
const FARTHEST_KM = 10_000;

function fieldsOf(area: Area | null): Record<string, string> {
  if (area === null) return {};
  const circle = area.tool === "circle" ? circleOf(area.ring) : null;
  if (circle) return fieldsOfCircle(circle);
  if (area.tool === "polygon") return { corners: textOfRing(area.ring) };
  const box = boxOfRing([area.ring[0] ?? [0, 0], area.ring[2] ?? [0, 0]]);
  return Object.fromEntries(EDGES.map((name, at) => [name, String(box[at])]));
}

function fieldsOfCircle({ centre: [latitude, longitude], radiusKm }: Circle): Record<string, string> {
  return { latitude: latitude.toFixed(3), longitude: longitude.toFixed(3), radius: radiusKm.toPrecision(4) };
}

/** Null if a number is missing or out of range. */
function ringOfFields(tool: Tool, fields: Record<string, string>): Ring | null {
  if (tool === "polygon") return ringOfText(fields.corners ?? "");
  if (tool === "box") {
    const box = readBox(EDGES.map((name) => fields[name] ?? "").join(","));
    return box && [[box[1], box[0]], [box[3], box[2] < box[0] ? box[2] + 360 : box[2]]];
  }
  const [latitude, longitude, radiusKm] = ["latitude", "longitude", "radius"].map((name) => Number.parseFloat(fields[name] ?? "")) as [number, number, number];
  const sound = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 && radiusKm > 0 && radiusKm < FARTHEST_KM;
  return sound ? ringOfCircle({ centre: [latitude, longitude], radiusKm }) : null;
}
