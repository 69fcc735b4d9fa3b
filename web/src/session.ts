// The user's key or token: stored for this tab only, and sent only with calls to this service.

import { useEffect, useState } from "preact/hooks";

const NAME = "sonde.key";
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
  try {
    if (text === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, text);
  } catch {
    // The key is valid until the page is closed.
  }
  dispatchEvent(new Event(CHANGED));
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
