// Whether the user asked for little traffic.

interface Connection {
  saveData?: boolean;
}

export function savesData(): boolean {
  const { saveData } = (navigator as Navigator & { connection?: Connection }).connection ?? {};
  return saveData === true || matchMedia("(prefers-reduced-data: reduce)").matches;
}
