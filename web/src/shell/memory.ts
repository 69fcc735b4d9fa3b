// Choices that outlive a visit. A browser may refuse to keep anything (private mode): then they last for the visit.

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
    // Nothing to do: the choice holds until the page is left.
  }
}
