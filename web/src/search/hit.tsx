// One hit: its record, the words found, and the reasons.

import { useMemo } from "preact/hooks";
import { noteOpened } from "../api.ts";
import { BasketButton } from "../basket/basketButton.tsx";
import { boxesOf } from "../boxes.ts";
import { statedLanguage } from "../languages.ts";
import { Glance, OffersLine } from "../record/glance.tsx";
import { Newer } from "../record/newer.tsx";
import { goBeside, recordAddress } from "../route.ts";
import { marks } from "../safe.ts";
import { Go } from "../shell/link.tsx";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { openingOf } from "./typing.ts";
import { Thumb } from "./thumb.tsx";
import { hitElementId, type Marking } from "./useMarked.ts";
import { Why } from "./why.tsx";

const SNIPPET = 260;

interface Props {
  feature: Feature;
  rank: number;
  isMarked: boolean;
  /** Its record is shown beside the list. */
  isOpen: boolean;
  marking: Marking;
  compact: boolean;
}

/** Drawn again only if something of it changes: pointing at one hit redraws two of a long list. */
export function Hit({ feature, rank, isMarked, isOpen, marking, compact }: Props) {
  return useMemo(
    () => <Drawn feature={feature} rank={rank} isMarked={isMarked} isOpen={isOpen} marking={marking} compact={compact} />,
    [feature, rank, isMarked, isOpen, marking, compact],
  );
}

function Drawn({ feature, rank, isMarked, isOpen, marking, compact }: Props) {
  const words = useWords();
  const title = feature.properties.title || words.untitled;
  const lang = statedLanguage(feature);
  const hasArea = boxesOf(feature).length > 0;
  return (
    <li
      id={hitElementId(feature.id)}
      class={`hit${isMarked ? " marked" : ""}${isOpen ? " open" : ""}`}
      onMouseEnter={() => marking.hover(feature.id)}
      onMouseLeave={() => marking.hover(null)}
      onFocusCapture={() => marking.hover(feature.id)}
    >
      <article>
        {!compact && <Thumb feature={feature} />}
        <h2>
          <span class="rank" aria-hidden="true">
            {rank}
          </span>
          <Go to={recordAddress(feature.id)} lang={lang} current={isOpen} followed={() => void noteOpened(openingOf(feature))} act={() => goBeside(feature.id)}>
            <Marks fragment={feature["sonde:highlights"]?.title?.[0]} text={title} />
          </Go>
        </h2>
        <Glance feature={feature} />
        <Newer record={feature["sonde:supersededBy"]} />
        {!compact && <OffersLine feature={feature} />}
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
          <BasketButton id={feature.id} title={title} />
          {hasArea && (
            <button type="button" class="plain on-map" aria-label={words.showOnMap({ title })} onClick={() => marking.show(feature.id)}>
              {words.onMap}
            </button>
          )}
        </div>
      </article>
    </li>
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
