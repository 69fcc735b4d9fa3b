// Saves a file on the user's computer.

const KEPT_MS = 10_000;

export function saveFile(content: Blob, name: string): void {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(content);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), KEPT_MS);
}
