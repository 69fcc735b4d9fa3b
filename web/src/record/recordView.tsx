// The page of a record.

import { useEffect, useState } from "preact/hooks";
import { statedLanguage } from "../languages.ts";
import { recentSearch } from "../search/recent.ts";
import { Go } from "../shell/link.tsx";
import { LinkedText } from "../shell/linkedText.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import type { Feature } from "../types.ts";
import { useWords } from "../words/index.ts";
import { Actions } from "./actions.tsx";
import { Facts } from "./facts.tsx";
import { newerVersion, useKin } from "./kin.ts";
import { KinPanels } from "./kinPanels.tsx";
import { Glance, OffersLine } from "./glance.tsx";
import { GranulesPanel } from "./granulesPanel.tsx";
import { LinksPanel } from "./linksPanel.tsx";
import { Newer } from "./newer.tsx";
import { OriginPanel } from "./originPanel.tsx";
import { PreviewPanel } from "./previewPanel.tsx";
import { RecordMap } from "./recordMap.tsx";
import { SimilarPanel } from "./similarPanel.tsx";
import { StewardPart } from "./stewardPart.tsx";
import { useRecord } from "./useRecord.ts";
import { setTitle } from "../portal.ts";

export function RecordView({ id }: { id: string }) {
  const words = useWords();
  const back = recentSearch();
  return (
    <main id="main" tabIndex={-1} class="record">
      <p class="back">
        <Go to={back ?? "./"} back={back !== null}>← {back ? words.back : words.backStart}</Go>
      </p>
      <RecordContent id={id} />
    </main>
  );
}

/** `beside`: below the heading of another view, whose title stays. */
export function RecordContent({ id, beside = false }: { id: string; beside?: boolean }) {
  const words = useWords();
  const [attempt, setAttempt] = useState(0);
  const state = useRecord(id, attempt);
  const title = state.feature?.properties.title || words.untitled;
  useEffect(() => {
    if (state.feature && !beside) setTitle(title);
  }, [state.feature, title]);
  return (
    <>
      {state.problem && <ProblemNote problem={state.problem} again={() => setAttempt(attempt + 1)} />}
      {state.missing && <Missing />}
      {state.loading && !state.feature && (
        <>
          <p role="status">{words.loading}</p>
          <div class="waiting" aria-hidden="true" />
        </>
      )}
      {state.feature && <Whole feature={state.feature} title={title} beside={beside} />}
    </>
  );
}

function Whole({ feature, title, beside }: { feature: Feature; title: string; beside: boolean }) {
  const words = useWords();
  const { properties } = feature;
  const kin = useKin(feature.id);
  const lang = statedLanguage(feature);
  const Heading = beside ? "h2" : "h1";
  return (
    <article>
      <Heading class="title" lang={lang}>{title}</Heading>
      <Glance feature={feature} area />
      <OffersLine feature={feature} />
      <Newer record={newerVersion(feature, kin)} />
      <Actions feature={feature} title={title} />
      <div class="record-columns">
        <div class="told">
          {(properties.description ?? "").split(/\n{2,}/).map((paragraph, index) => (
            <p key={index} class="description" lang={lang}>
              <LinkedText text={paragraph} />
            </p>
          ))}
          <LinksPanel feature={feature} />
          <OriginPanel feature={feature} />
        </div>
        <div class="seen">
          <PreviewPanel feature={feature} title={title} />
          <RecordMap feature={feature} title={title} />
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
