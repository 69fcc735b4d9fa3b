// The record that is marked, in the list and on the map.

import { useMemo, useState } from "preact/hooks";

export interface Marked extends Marking {
  id: string | null;
  /** Increases each time the map must bring the marked record into view. */
  approach: number;
  /** The same object as long as the view lives. */
  marking: Marking;
}

export interface Marking {
  hover(id: string | null): void;
  /** From the list: the map moves there. */
  show(id: string): void;
  /** From the map: the list scrolls there. */
  select(id: string): void;
}

export function hitElementId(id: string): string {
  return `hit-${id}`;
}

/** `turnToMap`: called with true before the map must show a record, with false before the list must. */
export function useMarked(turnToMap?: (toMap: boolean) => void): Marked {
  const [id, hover] = useState<string | null>(null);
  const [approach, setApproach] = useState(0);
  const marking = useMemo<Marking>(
    () => ({
      hover,
      show(chosen) {
        hover(chosen);
        setApproach((times) => times + 1);
        turnToMap?.(true);
      },
      select(chosen) {
        hover(chosen);
        turnToMap?.(false);
        requestAnimationFrame(() => {
          const item = document.getElementById(hitElementId(chosen));
          item?.scrollIntoView({ block: "center" });
          item?.querySelector<HTMLElement>("h2 a")?.focus({ preventScroll: true });
        });
      },
    }),
    [],
  );
  return useMemo(() => ({ ...marking, id, approach, marking }), [id, approach]);
}
