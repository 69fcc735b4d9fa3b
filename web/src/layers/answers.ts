// What a service answers: text, JSON or XML within a time, and why there is none.

export type LayerState = "drawing" | "drawn" | "unread" | "empty" | "nothing" | "noPicture" | "noGrid" | "formats" | "otherHost";

/** A service cannot be read, or has nothing to draw. `detail`: the formats or the host that it names. */
export class LayerFailure extends Error {
  constructor(readonly state: LayerState, readonly detail = "") {
    super(state);
  }
}

const TIMEOUT_MS = 15_000;
const REQUEST = /^(service|request|version|layers?|typenames?|styles?|format|outputformat|srs|crs|srsname|bbox|width|height|transparent|tilematrixset|tilematrix|tilerow|tilecol)$/i;

/** The address with what a request for one layer adds taken away, and `parameters` added. */
export function asked(href: string, parameters: Record<string, string> = {}): string {
  const url = new URL(href);
  for (const key of [...url.searchParams.keys()]) if (REQUEST.test(key)) url.searchParams.delete(key);
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  return url.href;
}

export async function readText(address: string): Promise<string> {
  try {
    const answer = await fetch(address, { signal: AbortSignal.timeout(TIMEOUT_MS), credentials: "omit" });
    if (answer.ok) return await answer.text();
  } catch {
    // the browser does not say why: no answer, or none that this page may read
  }
  throw new LayerFailure("unread");
}

export async function readJson(address: string): Promise<unknown> {
  return parsed(await readText(address));
}

/** Raises LayerFailure. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new LayerFailure("unread");
  }
}

export async function readXml(address: string): Promise<Element> {
  return rootOf(await readText(address));
}

/** Raises LayerFailure for what is no XML, and for a report of an exception. */
export function rootOf(text: string): Element {
  const root = new DOMParser().parseFromString(text, "text/xml").documentElement;
  if (root.querySelector("parsererror") || /^(parsererror|html|\w*Exception\w*)$/.test(root.localName)) throw new LayerFailure("unread");
  return root;
}

/** Elements of any namespace below one, however deep. */
export function within(element: Element, name: string): Element[] {
  return [...element.getElementsByTagNameNS("*", name)];
}

export function childrenOf(element: Element, name: string): Element[] {
  return [...element.children].filter((child) => child.localName === name);
}

export function textOf(element: Element | undefined, name: string): string {
  return (element && childrenOf(element, name)[0]?.textContent?.trim()) ?? "";
}

/** Of `OnlineResource`, `LegendURL` and their like. */
export function linkOf(element: Element | undefined): string {
  return element?.getAttributeNS("http://www.w3.org/1999/xlink", "href") ?? "";
}

export function objectsIn(tree: unknown, name: string): Record<string, unknown>[] {
  const members = (tree as Record<string, unknown> | null)?.[name];
  return Array.isArray(members) ? members.filter((member) => typeof member === "object" && member !== null) : [];
}
