// Similar records, if the service offers them.

import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";
import { foreignLanguage, statedLanguage } from "../languages.ts";
import { recordAddress } from "../route.ts";
import { intervalText } from "../search/intervalText.ts";
import { Go } from "../shell/link.tsx";
import type { Feature } from "../types.ts";
import { useLocale, useWords, valueText } from "../words/index.ts";
import { itemAddress } from "./useRecord.ts";

export function SimilarPanel({ id }: { id: string }) {
  const words = useWords();
  const locale = useLocale();
  const [similar, setSimilar] = useState<Feature[]>([]);
  useEffect(() => {
    const stop = new AbortController();
    getIfThere<{ features: Feature[] }>(itemAddress(id, "/similar?limit=6"), stop.signal)
      .then((said) => setSimilar(said?.features ?? []))
      .catch(() => setSimilar([]));
    return () => stop.abort();
  }, [id]);
  if (similar.length === 0) return null;
  return (
    <section aria-labelledby="similar">
      <h2 id="similar">{words.similar}</h2>
      <ul class="similar">
        {similar.map((one) => (
          <li key={one.id}>
            <Go to={recordAddress(one.id)} lang={statedLanguage(one)}>{one.properties.title || words.untitled}</Go>
            <span class="soft">{[valueText("type", one.properties.type ?? "", words), intervalText(one, words, locale), foreignLanguage(one, locale)].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
