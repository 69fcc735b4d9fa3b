// Calls to the API. Addresses are relative to <base>, so a service behind a path prefix works too.

import { authorization, freshAuthorization, refuse } from "./session.ts";

/** An answer that is not 2xx, or no answer at all (`status` 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly parameter: string | null = null,
    /** The message is the service's sentence, not a browser's or a proxy's. */
    readonly explained = false,
  ) {
    super(message);
  }
}

/** The JSON at a relative address. Throws Problem; an aborted call throws the browser's AbortError. */
export async function getJson<T>(address: string, signal?: AbortSignal): Promise<T> {
  const accept = "application/geo+json, application/ld+json, application/json";
  const response = await sent(address, { headers: { Accept: accept }, signal: signal ?? null });
  return (await response.json()) as T;
}

/** Sends JSON and returns the answer. Throws as `getJson` does. */
export async function sendJson<T>(method: "POST" | "PATCH", address: string, body: unknown): Promise<T> {
  const headers = { Accept: "application/json", "Content-Type": "application/json" };
  const response = await sent(address, { method, headers, body: JSON.stringify(body) });
  return (await response.json()) as T;
}

/** The answer of any successful call. Throws as `getJson` does. */
export async function sent(address: string, options: RequestInit): Promise<Response> {
  const credential = await freshAuthorization();
  const response = await reached(address, { ...options, headers: { ...options.headers, ...credential } });
  if (response.ok) return response;
  const problem = problemOf(response.status, await response.text(), response.statusText);
  if (response.status === 401) refuse(credential, problem.message);
  throw problem;
}

/** Tells the service that a hit was opened; whether that succeeds does not matter to anybody here. */
export async function noteOpened(link: Promise<string | undefined>): Promise<void> {
  const id = (await link)?.split("/").pop();
  if (id) fetch(`opened/${id}`, { method: "POST", keepalive: true, headers: authorization() }).catch(() => undefined);
}

/** Null if the service does not have the call or the resource. Throws as `getJson` does. */
export async function getIfThere<T>(address: string, signal?: AbortSignal): Promise<T | null> {
  try {
    return await getJson<T>(address, signal);
  } catch (error) {
    if (error instanceof Problem && [404, 405, 406].includes(error.status)) return null;
    throw error;
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(0, error instanceof Error ? error.message : String(error));
}

async function reached(address: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new Problem(0, error instanceof Error ? error.message : String(error));
  }
}

/** The text of an error answer: problem+json, or only its status if a proxy sent HTML. */
export function problemOf(status: number, text: string, otherwise: string): Problem {
  try {
    const said = JSON.parse(text) as { title?: string; detail?: string; parameter?: string };
    return new Problem(status, said.detail ?? said.title ?? otherwise, said.parameter ?? null, said.detail !== undefined);
  } catch {
    return new Problem(status, otherwise);
  }
}
