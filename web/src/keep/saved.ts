// The user's kept searches, which tell what is new.

import { VALUE_FILTERS } from "../address.ts";
import { sendJson, sent } from "../api.ts";
import type { SavedSearch, SavedSearchKept } from "../openapi.ts";
import type { Described } from "../types.ts";

export type Saved = Described<SavedSearchKept, { search: Record<string, string | number | boolean | string[]> }>;

/** `mail` may be empty. */
export type Wanted = Required<Pick<SavedSearch, "title" | "every" | "mail" | "changes">>;

export function keepSearch(search: URLSearchParams, { mail, ...wanted }: Wanted, language: string): Promise<Saved> {
  return sendJson<Saved>("POST", "saved-searches", { ...wanted, search: bodyOf(search), language, ...(mail && { mail }) });
}

export async function deleteSearch(id: string): Promise<void> {
  await sent(`saved-searches/${encodeURIComponent(id)}`, { method: "DELETE" });
}

/** The parameters of an address as JSON: lists where there may be several values. */
export function bodyOf(search: URLSearchParams): Record<string, string | string[]> {
  const found: Record<string, string | string[]> = {};
  for (const name of new Set(search.keys())) found[name] = VALUE_FILTERS.includes(name) ? search.getAll(name) : (search.get(name) ?? "");
  return found;
}

/** The address of a kept search on this page. */
export function addressOf({ search }: Saved): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) for (const one of [value].flat()) query.append(name, String(one));
  return query.toString();
}
