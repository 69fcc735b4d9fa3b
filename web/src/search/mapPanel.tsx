// The map of the hits, and the area of the search: drawn on the map or typed as four numbers.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { changed, readBox } from "../address.ts";
import { boxesOf, isGuessed } from "../boxes.ts";
import { rangeOf } from "../counts.ts";
import { MapFrame } from "../map/mapFrame.tsx";
import type { Shape } from "../map/shapes.ts";
import { goSearch } from "../route.ts";
import type { Box, Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { useHeat } from "./useHeat.ts";
import type { Marked } from "./useMarked.ts";

interface Props {
  search: URLSearchParams;
  features: readonly Feature[];
  areas: readonly Box[];
  /** The place that "within 100 km of it" is measured from. */
  centre?: Box | null | undefined;
  filter: Box | null;
  marked: Marked;
  /** A question is being typed. */
  typing: boolean;
  /** The records are a list with ranks, which the map shows. */
  ranked?: boolean;
}

const RELATIONS = ["intersects", "within", "contains", "disjoint"] as const;

export function MapPanel({ search, features, areas, centre, filter, marked, typing, ranked = false }: Props) {
  const words = useWords();
  const [drawing, setDrawing] = useState(false);
  const [view, setView] = useState<Box | null>(null);
  const [shaded, setShaded] = useState(true);
  const heat = useHeat(search, view, shaded, typing);
  const [least, most] = rangeOf(heat);
  const shapes = useMemo(() => features.map((one, index) => shapeOf(one, ranked ? index + 1 : null)), [features, ranked]);
  const events = {
    onHover: marked.hover,
    onSelect: marked.select,
    onView: setView,
    onBox(box: Box | null) {
      setDrawing(false);
      if (box) goSearch(changed(search, "bbox", box.join(",")));
    },
  };
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked.approach) panel.current?.querySelector(".map-place")?.scrollIntoView({ block: "nearest" });
  }, [marked.approach]);
  return (
    <div class="panel map-panel" ref={panel}>
      <MapFrame label={words.map} shapes={shapes} areas={areas} centre={centre} filter={filter} marked={marked.id} approach={marked.approach} events={events} drawing={drawing} heat={heat} />
      <div class="heat-legend small soft">
        <label>
          <input type="checkbox" checked={shaded} onChange={(event) => setShaded(event.currentTarget.checked)} />
          <span>{words.heat}</span>
        </label>
        {heat && heat.values.length > 0 && <span class="heat-scale">{words.heatRange({ least, most })}</span>}
      </div>
      <div class="row">
        <button type="button" aria-pressed={drawing} onClick={() => setDrawing(!drawing)}>
          {drawing ? words.drawing : words.draw}
        </button>
        {filter && (
          <button type="button" class="plain" onClick={() => goSearch(changed(search, "bbox", null))}>
            {words.clearArea}
          </button>
        )}
        {(filter ?? search.get("place")) && <RelationChoice search={search} />}
      </div>
      <AreaFields search={search} filter={filter} />
    </div>
  );
}

function shapeOf(feature: Feature, rank: number | null): Shape {
  return { id: feature.id, title: feature.properties.title ?? feature.id, boxes: boxesOf(feature), guessed: isGuessed(feature), rank };
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

/** The same box as numbers, as an alternative to drawing. */
function AreaFields({ search, filter }: { search: URLSearchParams; filter: Box | null }) {
  const words = useWords();
  const [edges, setEdges] = useState(() => edgesOf(filter));
  const [wrong, setWrong] = useState(false);
  useEffect(() => {
    setEdges(edgesOf(filter));
    setWrong(false);
  }, [filter]);
  const names = ["west", "south", "east", "north"] as const;

  function use(event: Event): void {
    event.preventDefault();
    const box = readBox(edges.join(","));
    setWrong(box === null);
    if (box) goSearch(changed(search, "bbox", box.join(",")));
  }

  return (
    <details class="area-fields" open={filter !== null}>
      <summary>{words.areaTitle}</summary>
      <form onSubmit={use} noValidate>
        <div class="edges">
          {names.map((name, index) => (
            <label key={name}>
              <span>{words.edges[name]}</span>
              <input
                type="number"
                step="any"
                name={name}
                value={edges[index]}
                aria-invalid={wrong}
                aria-describedby={wrong ? "area-wrong" : undefined}
                onInput={(event) => setEdges(edges.map((edge, at) => (at === index ? event.currentTarget.value : edge)))}
              />
            </label>
          ))}
          <button type="submit">{words.useArea}</button>
        </div>
        <p id="area-wrong" role="alert" class="wrong-field" hidden={!wrong}>
          {wrong ? words.wrongArea : ""}
        </p>
      </form>
    </details>
  );
}

function edgesOf(filter: Box | null): string[] {
  return (filter ?? ["", "", "", ""]).map(String);
}
