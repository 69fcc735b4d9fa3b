// The page of a record.

import { useEffect, useMemo, useState } from "preact/hooks";
import { statedLanguage } from "../languages.ts";
import { MapFrame } from "../map/mapFrame.tsx";
import { recentSearch } from "../search/recent.ts";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { Actions } from "./actions.tsx";
import { Facts } from "./facts.tsx";
import { useKin } from "./kin.ts";
import { KinPanels, NewerVersion } from "./kinPanels.tsx";
import { Glance } from "./glance.tsx";
import { GranulesPanel } from "./granulesPanel.tsx";
import { LinksPanel } from "./linksPanel.tsx";
import { OriginPanel } from "./originPanel.tsx";
import { PreviewPanel } from "./previewPanel.tsx";
import { SimilarPanel } from "./similarPanel.tsx";
import { StewardPart } from "./stewardPart.tsx";
import { useRecord } from "./useRecord.ts";
import { setTitle } from "../portal.ts";

export function RecordView({ id }: { id: string }) {
  const words = useWords();
  const [attempt, setAttempt] = useState(0);
  const state = useRecord(id, attempt);
  const back = recentSearch();
  const title = state.feature?.properties.title || words.untitled;
  useEffect(() => {
    if (state.feature) setTitle(title);
  }, [state.feature, title]);
  return (
    <main id="main" tabIndex={-1} class="record">
      <p class="back">
        <Go to={back ?? "./"} back={back !== null}>← {back ? words.back : words.backStart}</Go>
      </p>
      {state.problem && <ProblemNote problem={state.problem} again={() => setAttempt(attempt + 1)} />}
      {state.missing && <Missing />}
      {state.loading && !state.feature && (
        <>
          <p role="status">{words.loading}</p>
          <div class="waiting" aria-hidden="true" />
        </>
      )}
      {state.feature && <Whole feature={state.feature} title={title} />}
    </main>
  );
}

function Whole({ feature, title }: { feature: Feature; title: string }) {
  const words = useWords();
  const { properties } = feature;
  const kin = useKin(feature.id);
  const lang = statedLanguage(feature);
  const boxes = properties["sonde:boxes"] ?? NO_BOXES;
  const shapes = useMemo(() => [{ id: feature.id, title, boxes, rank: null }], [feature.id, title, boxes]);
  return (
    <article>
      <h1 lang={lang}>{title}</h1>
      <Glance feature={feature} />
      <NewerVersion kin={kin} />
      <Actions feature={feature} title={title} />
      <div class="record-columns">
        <div class="told">
          {(properties.description ?? "").split(/\n{2,}/).map((paragraph, index) => (
            <p key={index} class="description" lang={lang}>
              {paragraph}
            </p>
          ))}
          <LinksPanel feature={feature} />
          <OriginPanel feature={feature} />
        </div>
        <div class="seen">
          <PreviewPanel feature={feature} title={title} />
          {boxes.length > 0 && <MapFrame label={words.mapOfRecord} shapes={shapes} areas={boxes} filter={null} marked={feature.id} events={QUIET} />}
        </div>
        <aside aria-label={words.about}>
          <Facts feature={feature} />
        </aside>
      </div>
      <KinPanels id={feature.id} kin={kin} />
      <GranulesPanel key={feature.id} feature={feature} />
      <SimilarPanel id={feature.id} />
      <StewardPart id={feature.id} />
    </article>
  );
}

function Missing() {
  const words = useWords();
  return (
    <section class="note">
      <h1>{words.recordMissing}</h1>
      <p>{words.recordMissingHelp}</p>
    </section>
  );
}

const NO_BOXES: never[] = [];
const QUIET = { onHover: () => undefined, onSelect: () => undefined, onBox: () => undefined };
