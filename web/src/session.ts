// Who uses the page: by a key, or by the tokens of an issuer. Stored for all tabs of this browser until the user signs out
// or the tokens end, and sent only with calls to this service.

import { useEffect, useState } from "preact/hooks";
import { portal } from "./portal.ts";

const NAME = "sonde.session";
const CHANGED = "sonde:session";
/** Tokens are renewed when they end sooner than this. */
const MARGIN_MS = 60_000;

export interface Session {
  /** Names the session, and lasts when its tokens are renewed. Of a key it is the key. */
  id: string;
  token: string;
  /** Of an issuer's token: its end, in milliseconds since 1970. */
  until?: number;
  /** The issuer's token for the next one. */
  refresh?: string;
  /** The user works at the desk: the header shows the way back to it. */
  steward?: boolean;
}

/** Why the page is no longer signed in: the time of the tokens is over, or what the service said of the key. */
export type Ending = { over: true } | { refusal: string };

let inMemory: Session | null = null; // used if the browser stores nothing
let ending: Ending | null = null;

export function session(): Session | null {
  try {
    const stored = JSON.parse(localStorage.getItem(NAME) ?? "null") as Session | null;
    return typeof stored?.token === "string" ? stored : inMemory;
  } catch {
    return inMemory;
  }
}

/** Null signs out, in all tabs; `why` says it to the user if it was not their wish. */
export function setSession(next: Session | null, why: Ending | null = null): void {
  inMemory = next;
  ending = why;
  try {
    if (next === null) localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, JSON.stringify(next));
    if (next !== null) inMemory = null; // else another tab could not sign out
  } catch {
    // The session lasts until the page is closed.
  }
  dispatchEvent(new Event(CHANGED));
}

/** The name of the session; null without one. */
export function key(): string | null {
  return session()?.id ?? null;
}

export function setKey(text: string): void {
  setSession({ id: text, token: text });
}

export function noteSteward(): void {
  const now = session();
  if (now && !now.steward) setSession({ ...now, steward: true });
}

export function isSteward(): boolean {
  return session()?.steward === true;
}

export function useKey(): string | null {
  return useSessionValue(key);
}

export function useEnding(): Ending | null {
  return useSessionValue(() => ending);
}

function useSessionValue<T>(read: () => T): T {
  const [now, setNow] = useState(read);
  useEffect(() => {
    const changed = () => setNow(() => read());
    const elsewhere = (event: StorageEvent) => event.key === NAME && changed();
    addEventListener(CHANGED, changed);
    addEventListener("storage", elsewhere);
    changed();
    return () => {
      removeEventListener(CHANGED, changed);
      removeEventListener("storage", elsewhere);
    };
  }, []);
  return now;
}

/** The authorisation header of a call. */
export function authorization(): Record<string, string> {
  const known = session();
  return known === null ? {} : { Authorization: `Bearer ${known.token}` };
}

/** The same, with tokens renewed first where they end soon. */
export async function freshAuthorization(): Promise<Record<string, string>> {
  const until = session()?.until;
  if (until !== undefined && until - Date.now() < MARGIN_MS) await renew();
  return authorization();
}

/** Ends a session that the service refused (401), so that what is open to all stays usable. */
export function refuse(sent: Record<string, string>, why: string): void {
  const now = session();
  if (now === null || sent.Authorization !== `Bearer ${now.token}`) return;
  setSession(null, now.until === undefined ? { refusal: why } : { over: true });
}

async function renew(): Promise<void> {
  const renewal = portal.signIn ? import("./signin/oidc.ts").then((issuer) => issuer.renew(MARGIN_MS)) : Promise.reject(new Error("no issuer"));
  await renewal.catch(() => {
    if ((session()?.until ?? Number.POSITIVE_INFINITY) <= Date.now()) setSession(null, { over: true });
  });
}
