// The user's key or token: stored for this tab only, and sent only with calls to this service.

import { useEffect, useState } from "preact/hooks";

const NAME = "sonde.key";
const STEWARD = "sonde.steward";
const CHANGED = "sonde:key";
let inMemory: string | null = null; // used if the browser stores nothing

export function key(): string | null {
  try {
    return sessionStorage.getItem(NAME) ?? inMemory;
  } catch {
    return inMemory;
  }
}

/** Null deletes it. */
export function setKey(text: string | null): void {
  inMemory = text;
  store(NAME, text);
  if (text === null) store(STEWARD, null);
  dispatchEvent(new Event(CHANGED));
}

/** The user of this tab works at the desk: the header shows the way back to it. */
export function noteSteward(): void {
  store(STEWARD, "yes");
  dispatchEvent(new Event(CHANGED));
}

export function isSteward(): boolean {
  try {
    return sessionStorage.getItem(STEWARD) !== null;
  } catch {
    return false;
  }
}

function store(name: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // The key is valid until the page is closed.
  }
}

export function useKey(): string | null {
  const [now, setNow] = useState(key);
  useEffect(() => {
    const changed = () => setNow(key());
    addEventListener(CHANGED, changed);
    return () => removeEventListener(CHANGED, changed);
  }, []);
  return now;
}

/** The authorisation header of a call. */
export function authorization(): Record<string, string> {
  const known = key();
  return known === null ? {} : { Authorization: `Bearer ${known}` };
}
