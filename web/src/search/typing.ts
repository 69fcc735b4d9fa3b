// The question that is being typed: the service answers it, but counts it as asked only when the user rests, presses
// Enter, leaves the field or opens a hit.

import { askedOnce } from "../address.ts";
import { getJson } from "../api.ts";
import { portal } from "../portal.ts";
import { savesData } from "../shell/savesData.ts";
import type { Answer, Feature } from "../types.ts";

export const LEAST_CHARACTERS = 3;
export const PAUSE_MS = 250;
/** From the answer by words to the whole search. */
export const WHOLE_AFTER_MS = 400;
/** Who rests so long has asked. */
export const ASKED_AFTER_MS = 3000;

let typed: URLSearchParams | null = null;
let links: Promise<Map<string, string | undefined>> | null = null;

/** Whether the page searches while the user types: not if the portal switched it off, or the user saves data. */
export function searchesWhileTyping(): boolean {
  return portal.whileTyping && !savesData();
}

/** This search is being typed; null: it was asked, or it is another one. */
export function setTyped(search: URLSearchParams | null): void {
  typed = search;
  links = null;
}

export function isTyped(search: URLSearchParams): boolean {
  return typed?.toString() === search.toString();
}

/** Asks the typed search as a question of its own; does nothing if there is none. */
export function settle(): void {
  if (typed === null) return;
  links = getJson<Answer>(askedOnce(typed))
    .then(({ features }) => new Map(features.map((one) => [one.id, one["sonde:opened"]])))
    .catch(() => new Map<string, undefined>());
  typed = null;
}

/** The address that counts an opening of this hit; of a typed search it comes when the search is settled. */
export async function openingOf(feature: Feature): Promise<string | undefined> {
  if (feature["sonde:opened"]) return feature["sonde:opened"];
  settle();
  return (await links)?.get(feature.id);
}
