// The record's picture from the service; nothing if there is none or it cannot be loaded.

import { useEffect, useState } from "preact/hooks";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { hasPreview } from "./links.ts";
import { pictureOf } from "./pictures.ts";

export function PreviewPanel({ feature, title }: { feature: Feature; title: string }) {
  const words = useWords();
  const picture = usePicture(feature.id, hasPreview(feature));
  if (picture === null) return null;
  return (
    <figure class="preview">
      <img src={picture} alt={words.previewOf({ title })} />
    </figure>
  );
}

function usePicture(id: string, wanted: boolean): string | null {
  const [picture, setPicture] = useState<string | null>(null);
  useEffect(() => {
    setPicture(null);
    if (!wanted) return undefined;
    const stop = new AbortController();
    void pictureOf(id, stop.signal).then((found) => stop.signal.aborted || setPicture(found));
    return () => stop.abort();
  }, [id, wanted]);
  return picture;
}
