// What is offered above the list: on a narrow screen buttons that open map and filters; the order and the form of the
// hits; and what a reader can do with the list, whose script is loaded when it is opened.

import { useState } from "preact/hooks";
import { changed, ORDERS } from "../address.ts";
import { goSearch } from "../route.ts";
import { useLoadedModule } from "../shell/lazyView.tsx";
import { remember, remembered } from "../shell/memory.ts";
import { useWords } from "../words/index.ts";
import type { Found } from "./useSearch.ts";

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
  search: URLSearchParams;
  found: Found | null;
  /** Opens a part above the list; null if all are beside it. */
  open: ((part: Part) => void) | null;
  compact: boolean;
  setCompact: (compact: boolean) => void;
}

export function ListTools({ search, found, open, compact, setCompact }: Props) {
  const words = useWords();
  const [keeps, setKeeps] = useState(false);
  const names: Record<Part, string> = { map: words.mapShort, filters: words.filters };
  const form = (
    <button type="button" aria-pressed={compact} onClick={() => setCompact(!compact)}>
      {words.compact}
    </button>
  );
  return (
    <div class={open ? "list-tools narrow" : "list-tools"} {...(open && { role: "region", "aria-label": `${names.map}, ${names.filters}, ${words.order}` })}>
      {open &&
        (["map", "filters"] as const).map((part) => (
          <button key={part} type="button" aria-haspopup="dialog" onClick={() => open(part)}>
            {names[part]}
          </button>
        ))}
      <select class="order" aria-label={words.order} value={search.get("sortby") ?? ""} onChange={(event) => goSearch(changed(search, "sortby", event.currentTarget.value || null))}>
        {ORDERS.map((order) => (
          <option key={order} value={order}>
            {words.orders[order] ?? order}
          </option>
        ))}
      </select>
      {!open && form}
      <button type="button" aria-expanded={keeps} aria-controls="keep" aria-label={open ? words.keepList : undefined} onClick={() => setKeeps(!keeps)}>
        {open ? <span aria-hidden="true">⋯</span> : words.keepList}
      </button>
      <div id="keep" class="panel keep" role="group" aria-label={words.keepList} hidden={!keeps}>
        {open && form}
        {keeps && found && <Keep search={search} hits={found.answer.numberMatched} />}
      </div>
    </div>
  );
}

const loadKeep = () => import("../keep/keepPanel.tsx");

function Keep({ search, hits }: { search: URLSearchParams; hits: number }) {
  const words = useWords();
  const keep = useLoadedModule(loadKeep);
  return keep ? <keep.KeepPanel search={search} hits={hits} /> : <p role="status">{words.loading}</p>;
}
