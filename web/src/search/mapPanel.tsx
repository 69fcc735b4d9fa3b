// The map of the hits, and the area of the search.

import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { boxesOf, isGuessed } from "../boxes.ts";
import { rangeOf } from "../counts.ts";
import { MapFrame } from "../map/mapFrame.tsx";
import type { Tool } from "../map/areas.ts";
import type { Area, Shape } from "../map/shapes.ts";
import { goSearch } from "../route.ts";
import type { Box, Feature } from "../types.ts";
import { useLoadedModule } from "../shell/lazyView.tsx";
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

const areaTools = () => import("./areaTools.tsx");

export function MapPanel({ search, features, areas, centre, filter, marked, typing, ranked = false }: Props) {
  const words = useWords();
  const [drawing, setDrawing] = useState<Tool | null>(null);
  const [edited, setEdited] = useState<Area | null>(null);
  const geometry = search.get("geometry");
  const [open, setOpen] = useState(filter !== null || geometry !== null);
  const [crossing, setCrossing] = useState(false);
  const tools = useLoadedModule(open ? areaTools : null);
  const [view, setView] = useState<Box | null>(null);
  const [shaded, setShaded] = useState(true);
  const heat = useHeat(search, view, shaded, typing);
  const [least, most] = rangeOf(heat);
  const shapes = useMemo(() => features.map((one, index) => shapeOf(one, ranked ? index + 1 : null)), [features, ranked]);
  const events = {
    onHover: marked.hover,
    onSelect: marked.select,
    onView: setView,
    onDrawn(area: Area | null) {
      setDrawing(null);
      const after = area && (tools?.searchOfArea(search, area) ?? null);
      setCrossing(area !== null && after === null);
      if (after) goSearch(after);
    },
  };
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (marked.approach) panel.current?.querySelector(".map-place")?.scrollIntoView({ block: "nearest" });
  }, [marked.approach]);
  return (
    <div class="panel map-panel" ref={panel}>
      <MapFrame label={words.map} shapes={shapes} areas={areas} centre={centre} filter={filter} outline={geometry} marked={marked.id} approach={marked.approach} events={events} drawing={drawing} edited={edited} heat={heat} />
      <div class="heat-legend small soft">
        <label>
          <input type="checkbox" checked={shaded} onChange={(event) => setShaded(event.currentTarget.checked)} />
          <span>{words.heat}</span>
        </label>
        {heat && heat.values.length > 0 && <span class="heat-scale">{words.heatRange({ least, most })}</span>}
      </div>
      <details class="area-tools" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>{words.areaTitle}</summary>
        {tools && <tools.AreaTools search={search} filter={filter} drawing={drawing} draw={setDrawing} edit={setEdited} crossing={crossing} />}
      </details>
    </div>
  );
}

function shapeOf(feature: Feature, rank: number | null): Shape {
  return { id: feature.id, title: feature.properties.title ?? feature.id, boxes: boxesOf(feature), guessed: isGuessed(feature), rank };
}
