// One hit: its record, the words found, and the reasons.

import { noteOpened } from "../api.ts";
import { foreignLanguage, statedLanguage } from "../languages.ts";
import { recordAddress } from "../route.ts";
import { marks } from "../safe.ts";
import { Go } from "../shell/link.tsx";
import type { Feature } from "../types.ts";
import { useLocale, useWords, valueText } from "../words/index.ts";
import { openingOf } from "./typing.ts";
import { Thumb } from "./thumb.tsx";
import { hitElementId, type Marked } from "./useMarked.ts";
import { Why } from "./why.tsx";

const SNIPPET = 260;

export function Hit({ feature, rank, marked, compact }: { feature: Feature; rank: number; marked: Marked; compact: boolean }) {
  const words = useWords();
  const title = feature.properties.title || words.untitled;
  const lang = statedLanguage(feature);
  const hasArea = (feature.properties["sonde:boxes"] ?? []).length > 0;
  return (
    <li
      id={hitElementId(feature.id)}
      class={marked.id === feature.id ? "hit marked" : "hit"}
      onMouseEnter={() => marked.hover(feature.id)}
      onMouseLeave={() => marked.hover(null)}
      onFocusCapture={() => marked.hover(feature.id)}
    >
      <article>
        {!compact && <Thumb feature={feature} />}
        <h2>
          <span class="rank" aria-hidden="true">
            {rank}
          </span>
          <Go to={recordAddress(feature.id)} lang={lang} followed={() => void noteOpened(openingOf(feature))}>
            <Marks fragment={feature["sonde:highlights"]?.title?.[0]} text={title} />
          </Go>
        </h2>
        <Facts feature={feature} />
        {!compact && (
          <>
            <p class="snippet" lang={lang}>
              <Snippet feature={feature} />
            </p>
            <Passage feature={feature} />
          </>
        )}
        <div class="hit-foot">
          <Why feature={feature} />
          {hasArea && (
            <button type="button" class="plain on-map" aria-label={words.showOnMap({ title })} onClick={() => marked.show(feature.id)}>
              {words.onMap}
            </button>
          )}
        </div>
      </article>
    </li>
  );
}

function Facts({ feature }: { feature: Feature }) {
  const words = useWords();
  const locale = useLocale();
  const { properties } = feature;
  const kind = properties["sonde:provenance"];
  const foreign = foreignLanguage(feature, locale);
  const facts = [
    properties.type && valueText("type", properties.type, words),
    kind && kind !== "unknown" ? valueText("provenance", kind, words) : undefined,
    properties.contacts?.find((contact) => contact.organization)?.organization,
    properties["sonde:access"] === "restricted" ? words.restricted : undefined,
    (properties["sonde:boxes"] ?? []).length === 0 ? words.noArea : undefined,
  ];
  return (
    <p class="facts">
      {facts.filter(Boolean).map((fact) => (
        <span key={fact}>{fact}</span>
      ))}
      {foreign && (
        <span class="foreign" title={words.language}>
          {foreign}
        </span>
      )}
    </p>
  );
}

function Snippet({ feature }: { feature: Feature }) {
  const fragments = feature["sonde:highlights"]?.abstract ?? [];
  const text = feature.properties.description ?? "";
  if (fragments.length === 0) return <>{shortened(text)}</>;
  const opening = marks(fragments[0] ?? "").map((one) => one.text).join("");
  return (
    <>
      {!text.startsWith(opening) && "… "}
      {fragments.map((fragment, index) => (
        <span key={fragment}>
          {index > 0 && " … "}
          <Marks fragment={fragment} text="" />
        </span>
      ))}
      {" …"}
    </>
  );
}

/** The best passage of the record's documents, if there is one. */
function Passage({ feature }: { feature: Feature }) {
  const words = useWords();
  const passage = feature["sonde:passages"]?.[0];
  if (!passage) return null;
  return (
    <blockquote class="passage">
      {shortened(passage.text)}{" "}
      <cite>{[...passage.section, passage.page === null ? "" : words.page({ n: passage.page })].filter(Boolean).join(" · ")}</cite>
    </blockquote>
  );
}

/** A highlighted fragment, or the plain text. */
function Marks({ fragment, text }: { fragment: string | undefined; text: string }) {
  if (fragment === undefined) return <>{text}</>;
  return <>{marks(fragment).map((one, index) => (one.marked ? <mark key={index}>{one.text}</mark> : one.text))}</>;
}

function shortened(text: string): string {
  if (text.length <= SNIPPET) return text;
  const cut = text.slice(0, SNIPPET);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), SNIPPET - 40))} …`;
}
