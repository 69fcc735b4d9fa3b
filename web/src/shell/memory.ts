// Settings that outlive a visit. If the browser stores nothing (private mode), they last for the visit.

const PREFIX = "sonde.";

export function remembered(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function remember(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // The setting lasts until the page is closed.
  }
}
