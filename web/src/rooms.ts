// The parts of this service besides the search, as listed in the page's head.

export type Room = "ask" | "library" | "harvest" | "desk";

const said = document.querySelector<HTMLMetaElement>('meta[name="sonde-rooms"]')?.content.split(" ") ?? [];

export function has(room: Room): boolean {
  return said.includes(room);
}
