// The records that a reader keeps to compare, cite and export them: in this browser only, the same in all of its tabs.

import { useEffect, useState } from "preact/hooks";
import { remember, remembered } from "../shell/memory.ts";

export const MOST_IN_BASKET = 50;

const NAME = "basket";
const CHANGED = "sonde:basket";

let ids = stored();

if (globalThis.window) {
  addEventListener("storage", () => {
    ids = stored();
    dispatchEvent(new Event(CHANGED));
  });
}

function stored(): readonly string[] {
  return idsIn(remembered(NAME));
}

/** What is not a list of ids is an empty basket. */
export function idsIn(text: string | null): readonly string[] {
  try {
    const said: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(said) ? said.filter((one) => typeof one === "string").slice(0, MOST_IN_BASKET) : [];
  } catch {
    return [];
  }
}

export function setBasket(wanted: readonly string[]): void {
  ids = [...new Set(wanted)].slice(0, MOST_IN_BASKET);
  remember(NAME, JSON.stringify(ids));
  dispatchEvent(new Event(CHANGED));
}

export function toggleInBasket(id: string): void {
  setBasket(ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id]);
}

/** Their ids, in the order in which they were added. */
export function useBasket(): readonly string[] {
  const [now, setNow] = useState(ids);
  useEffect(() => {
    const changed = () => setNow(ids);
    addEventListener(CHANGED, changed);
    changed();
    return () => removeEventListener(CHANGED, changed);
  }, []);
  return now;
}

/** The search for these records only. */
export function basketSearch(wanted: readonly string[]): URLSearchParams {
  const listed = wanted.map((id) => `'${id.replaceAll("'", "''")}'`).join(",");
  return new URLSearchParams({ filter: `id IN (${listed})`, group: "none" });
}

/** The address that shows these records to others. */
export function basketAddress(wanted: readonly string[]): string {
  return `basket?${new URLSearchParams(wanted.map((id) => ["id", id]))}`;
}
