// Calls to the API. Addresses are relative to <base>, so a service behind a path prefix works too.

/** An answer that is not 2xx, or none at all (`status` 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly parameter: string | null = null,
  ) {
    super(message);
  }
}

/** The JSON at a relative address. Throws Problem; an aborted call throws the browser's AbortError. */
export async function getJson<T>(address: string, signal?: AbortSignal): Promise<T> {
  const accept = "application/geo+json, application/ld+json, application/json";
  const response = await reached(address, { headers: { Accept: accept }, signal: signal ?? null });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as T;
}

/** Null where the service does not have such a call or such a thing. Throws as `getJson` does. */
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

async function problemOf(response: Response): Promise<Problem> {
  try {
    const said = (await response.json()) as { title?: string; detail?: string; parameter?: string };
    return new Problem(response.status, said.detail ?? said.title ?? response.statusText, said.parameter ?? null);
  } catch {
    // A proxy in between may answer in HTML; its status still says what happened.
    return new Problem(response.status, response.statusText);
  }
}
