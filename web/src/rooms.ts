// The parts of this service besides the search, as listed in the page's head.

/** `ask-own`: there are no public documents, so only a user who is signed in has something to ask. */
export type Room = "ask" | "ask-own" | "library" | "harvest" | "desk";

const said = document.querySelector<HTMLMetaElement>('meta[name="sonde-rooms"]')?.content.split(" ") ?? [];

export function has(room: Room): boolean {
  return said.includes(room);
}
