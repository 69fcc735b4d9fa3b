// Maps addresses to views, and changes the view without loading the page again.

import { useEffect, useState } from "preact/hooks";
import { SEARCH } from "./portal.ts";
import { BESIDE, leave, MOVED, place, placeLeft, returnTo } from "./shell/place.ts";

export type Route =
  | { view: "search"; query: string }
  | { view: "record"; id: string }
  | { view: "ask"; query: string }
  | { view: "library"; path: string; query: string }
  | { view: "basket"; query: string }
  | { view: "sign-in" }
  | { view: "document"; id: string; hash: string }
  | { view: "desk"; path: string; query: string }
  | { view: "sources" }
  | { view: "source"; id: string };

/** The route of a path below the service's root. */
export function routeOf(path: string, query: string, hash = ""): Route {
  const record = /^(?:records|collections\/[^/]+\/items)\/(.+)$/.exec(path);
  if (record?.[1]) return { view: "record", id: decoded(record[1]) };
  const source = /^sources\/(.+)$/.exec(path);
  if (source?.[1]) return { view: "source", id: decoded(source[1]) };
  const document = /^documents\/([0-9a-f]+)$/.exec(path);
  if (document?.[1]) return { view: "document", id: document[1], hash };
  const desk = /^desk(?:\/(.*))?$/.exec(path);
  if (desk) return { view: "desk", path: desk[1] ?? "", query };
  if (path === "answers") return { view: "ask", query };
  if (path === "sign-in") return { view: "sign-in" };
  if (path === "basket") return { view: "basket", query };
  const library = /^my-documents(?:\/(.*))?$/.exec(path);
  if (library) return { view: "library", path: library[1] ?? "", query };
  return path === "sources" ? { view: "sources" } : { view: "search", query };
}

const DOCUMENT = /^documents:([0-9a-f]+)$/;

/** The address of a record's page, relative to the root; that of a public document is the document's. */
export function recordAddress(id: string): string {
  const document = DOCUMENT.exec(id);
  if (document) return `documents/${document[1]}`;
  return `records/${encodeURIComponent(id)}`;
}

/** The address of a source's page for stewards, relative to the root. */
export function sourceAddress(id: string): string {
  return `sources/${encodeURIComponent(id)}`;
}

/** Goes to an address relative to the root; `replace` replaces the current history entry. */
export function go(address: string, replace = false): void {
  const target = speaking(new URL(address, document.baseURI));
  if (target.href === location.href) return;
  if (replace) history.replaceState({ from: place().from }, "", target);
  else push(target, {});
  dispatchEvent(new Event(MOVED));
}

/** With the language that this address asks for, so that it lasts when the page is loaded again. */
function speaking(target: URL): URL {
  const language = new URLSearchParams(location.search).get("lang");
  if (language !== null && !target.searchParams.has("lang")) target.searchParams.set("lang", language);
  return target;
}

/** Goes back to an address visited before, at its earlier scroll position. */
export function goBack(address: string): void {
  const target = speaking(new URL(address, document.baseURI));
  if (place().from === target.href) {
    history.back();
    return;
  }
  const before = placeLeft(target.href);
  push(target, before);
  dispatchEvent(new Event(MOVED));
  returnTo(before.y ?? 0);
}

/** Shows a record beside the list of this address; null: none any more. The list stays as it is. */
export function goBeside(id: string | null): void {
  const target = new URL(location.href);
  const open = target.searchParams.has(BESIDE);
  target.searchParams.delete(BESIDE);
  if (id !== null) target.searchParams.set(BESIDE, id);
  if (id === null && place().beside) history.back();
  else if (open) history.replaceState(place(), "", target);
  else push(target, { shown: place().shown, beside: true });
  dispatchEvent(new Event(MOVED));
}

function push(target: URL, state: object): void {
  const from = location.href;
  leave();
  history.pushState({ ...state, from }, "", target);
}

export function goSearch(search: URLSearchParams, replace = false): void {
  const query = search.toString();
  go(query ? `${SEARCH}?${query}` : SEARCH, replace);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(here);
  useEffect(() => {
    const moved = () => setRoute(here());
    addEventListener("popstate", moved);
    addEventListener("hashchange", moved);
    addEventListener(MOVED, moved);
    return () => {
      removeEventListener("popstate", moved);
      removeEventListener("hashchange", moved);
      removeEventListener(MOVED, moved);
    };
  }, []);
  return route;
}

function here(): Route {
  const root = new URL(document.baseURI).pathname;
  return routeOf(location.pathname.slice(root.length), location.search, location.hash);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % in a typed address is kept
  }
}
