// Copies a text and says so; nothing in browsers (and at plain http addresses) without a clipboard.

import { useState } from "preact/hooks";
import { useWords } from "../words/index.ts";

export function CopyButton({ text, label }: { text: string; label?: string }) {
  const words = useWords();
  const [copied, setCopied] = useState(false);
  if (!("clipboard" in navigator)) return null;
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  return (
    <button type="button" onClick={copy} aria-label={copied ? undefined : label}>
      <span role="status">{copied ? words.copied : words.copy}</span>
    </button>
  );
}
