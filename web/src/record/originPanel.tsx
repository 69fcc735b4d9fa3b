// The origin of the record, drawn as a row: its sources, the processing, and who is responsible.

import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";
import { statedLanguage } from "../languages.ts";
import { Outside } from "../shell/outside.tsx";
import { edgeText } from "../times.ts";
import type { Feature } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";
import { type Node, type Origin, originOf } from "./prov.ts";
import { itemAddress } from "./useRecord.ts";

export function OriginPanel({ feature }: { feature: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const origin = useOrigin(feature.id);
  const lineage = feature.properties["sonde:lineage"];
  if (!lineage && !origin) return null;
  const day = edgeText(origin?.harvested, locale, false);
  return (
    <section aria-labelledby="origin">
      <h2 id="origin">{words.origin}</h2>
      {origin && <Drawing origin={origin} />}
      {lineage && <p lang={statedLanguage(feature)}>{lineage}</p>}
      {day && <p class="soft">{words.harvested({ source: feature.properties["sonde:source"] ?? "", day })}</p>}
    </section>
  );
}

function Drawing({ origin }: { origin: Origin }) {
  const words = useWords();
  const steps = [
    { name: words.derivedFrom, nodes: origin.derivedFrom, class: "entity" },
    { name: words.generatedBy, nodes: origin.generatedBy, class: "activity" },
  ].filter((step) => step.nodes.length > 0);
  if (steps.length === 0 && origin.attributedTo.length === 0) return null;
  return (
    <div class="origin">
      {steps.map((step) => (
        <Step key={step.name} {...step} />
      ))}
      <div class="step this">
        <p class="entity">{words.thisRecord}</p>
      </div>
      {origin.attributedTo.length > 0 && <Step name={words.attributedTo} nodes={origin.attributedTo} class="agent" />}
    </div>
  );
}

function Step({ name, nodes, class: className }: { name: string; nodes: Node[]; class: string }) {
  return (
    <div class="step">
      <h3>{name}</h3>
      <ul>
        {nodes.map((node) => (
          <li key={node.text} class={className}>
            <Outside href={node.href ?? undefined}>{node.text}</Outside>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Null until it is known, and if the service does not offer it: the page works without it. */
function useOrigin(id: string): Origin | null {
  const [origin, setOrigin] = useState<Origin | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    getIfThere<Record<string, unknown>>(itemAddress(id, "/provenance"), stop.signal)
      .then((said) => setOrigin(said && originOf(said)))
      .catch(() => setOrigin(null));
    return () => stop.abort();
  }, [id]);
  return origin;
}
