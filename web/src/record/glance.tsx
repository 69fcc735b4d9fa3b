// What a record is, when and where, in one line below its title.

import { boxText } from "../boxes.ts";
import { intervalText } from "../search/intervalText.ts";
import type { Feature } from "../types.ts";
import { useLocale, useWords, valueText } from "../words/index.ts";
import { resolutionText } from "./facts.tsx";

export function Glance({ feature }: { feature: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const said = feature.properties;
  const [box, ...others] = said["sonde:boxes"] ?? [];
  const facts = [
    said.type && valueText("type", said.type, words),
    intervalText(feature, words, locale),
    box && boxText(box, words, locale) + (others.length > 0 ? " …" : ""),
    resolutionText(feature, locale),
    said.contacts?.find((contact) => contact.organization)?.organization,
    said["sonde:access"] === "restricted" ? words.restricted : undefined,
  ];
  return (
    <p class="facts glance">
      {facts.filter(Boolean).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
    </p>
  );
}
