// What is offered above the list: on a narrow screen buttons that open map and filters, and the form of the hits.

import { remember, remembered } from "../shell/memory.ts";
import { useState } from "preact/hooks";
import { useWords } from "../words/index.ts";

export type Part = "map" | "filters";

const NAME = "hits";

/** Whether hits are shown in two lines; remembered. */
export function useCompact(): [boolean, (compact: boolean) => void] {
  const [compact, setCompact] = useState(() => remembered(NAME) === "compact");
  const choose = (chosen: boolean) => {
    setCompact(chosen);
    remember(NAME, chosen ? "compact" : "full");
  };
  return [compact, choose];
}

interface Props {
  /** The parts that are open; null if they stand beside the list. */
  opened: ReadonlySet<Part> | null;
  toggle: (part: Part) => void;
  compact: boolean;
  setCompact: (compact: boolean) => void;
}

export function ListTools({ opened, toggle, compact, setCompact }: Props) {
  const words = useWords();
  const names: Record<Part, string> = { map: words.mapShort, filters: words.filters };
  return (
    <div class="list-tools">
      {opened &&
        (["map", "filters"] as const).map((part) => (
          <button key={part} type="button" aria-expanded={opened.has(part)} aria-controls={`side-${part}`} onClick={() => toggle(part)}>
            {names[part]}
          </button>
        ))}
      <button type="button" aria-pressed={compact} onClick={() => setCompact(!compact)}>
        {words.compact}
      </button>
    </div>
  );
}
