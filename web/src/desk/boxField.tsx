// An area as four numbers, or drawn on a map.

import { useMemo, useState } from "preact/hooks";
import { readBox } from "../address.ts";
import { MapFrame } from "../map/mapFrame.tsx";
import { boxOfRing } from "../boxes.ts";
import type { Area } from "../map/shapes.ts";
import { useWords } from "../words/index.ts";
import { useDesk } from "./words/index.ts";

const EDGES = ["west", "south", "east", "north"] as const;
const NONE: never[] = [];

interface Props {
  label: string;
  /** `w,s,e,n`; empty for none. */
  value: string;
  required: boolean;
  change: (value: string) => void;
}

export function BoxField({ label, value, required, change }: Props) {
  const page = useWords();
  const words = useDesk();
  const [map, setMap] = useState(false);
  const [drawing, setDrawing] = useState(false);
  const edges = value === "" ? ["", "", "", ""] : value.split(",");
  const set = (at: number, text: string) => {
    const now = edges.map((edge, index) => (index === at ? text : edge));
    change(now.every((edge) => edge === "") ? "" : now.join(","));
  };
  const box = useMemo(() => readBox(value), [value]);
  const drawn = (area: Area | null) => {
    if (area) change(boxOfRing(area.ring).map((edge) => Math.round(edge * 1000) / 1000).join(","));
    setDrawing(false);
  };
  const draw = () => {
    setMap(true);
    setDrawing(!drawing);
  };
  return (
    <fieldset class="field wide">
      <legend>{label}</legend>
      <div class="four">
        {EDGES.map((edge, at) => (
          <label key={edge}>
            <span>{page.edges[edge]}</span>
            <input type="number" step="any" required={required || value !== ""} min={at % 2 ? -90 : -180} max={at % 2 ? 90 : 180} value={edges[at]} onInput={(event) => set(at, event.currentTarget.value)} />
          </label>
        ))}
      </div>
      <button type="button" aria-pressed={drawing} onClick={draw}>
        {drawing ? words.stopDrawing : words.drawBox}
      </button>
      {(map || box) && <MapFrame label={words.mapOf} shapes={NONE} areas={NONE} filter={box} marked={null} drawing={drawing ? "box" : null} events={{ onHover: () => undefined, onSelect: () => undefined, onDrawn: drawn }} />}
    </fieldset>
  );
}
