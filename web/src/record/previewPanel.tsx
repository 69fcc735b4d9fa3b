// The record's picture from the service; nothing if there is none or it cannot be loaded.

import { useEffect, useState } from "preact/hooks";
import { sent } from "../api.ts";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { hasPreview } from "./links.ts";
import { itemAddress } from "./useRecord.ts";

export function PreviewPanel({ feature, title }: { feature: Feature; title: string }) {
  const words = useWords();
  const picture = usePicture(feature.id, hasPreview(feature));
  if (picture === null) return null;
  return (
    <figure class="preview">
      <img src={picture} alt={words.previewOf(title)} />
    </figure>
  );
}

/** As a data URL, because an `img` request would not send the key. */
function usePicture(id: string, wanted: boolean): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    setPicture(null);
    if (!wanted) return undefined;
    const stop = new AbortController();
    sent(itemAddress(id, "/preview"), { headers: { Accept: "image/webp" }, signal: stop.signal })
      .then((answer) => answer.blob())
      .then(dataUrl)
      .then((url) => stop.signal.aborted || setPicture(url))
      .catch(() => undefined);
    return () => stop.abort();
  }, [id, wanted]);
  return picture;
}

function dataUrl(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
}
