// The key or token of who is known: kept for this tab only, and sent with every call to the service itself.

import { useEffect, useState } from "preact/hooks";

const NAME = "sonde.key";
const CHANGED = "sonde:key";
let inMemory: string | null = null; // where the browser keeps nothing

export function key(): string | null {
  try {
    return sessionStorage.getItem(NAME) ?? inMemory;
  } catch {
    return inMemory;
  }
}

/** Null forgets it. */
export function setKey(text: string | null): void {
  inMemory = text;
  try {
    if (text === null) sessionStorage.removeItem(NAME);
    else sessionStorage.setItem(NAME, text);
  } catch {
    // It lasts until the page is left.
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

/** What the header of a call says of who asks. */
export function authorization(): Record<string, string> {
  const known = key();
  return known === null ? {} : { Authorization: `Bearer ${known}` };
}
