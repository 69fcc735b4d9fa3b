// What a steward looks at first: what is asked and not found, what counts, what changed, which sources need a look.

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getJson } from "../api.ts";
import { sourceAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { type Loaded, useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import type { Overview as Sources } from "../sources/harvest.ts";
import { RunLine } from "../sources/stateLine.tsx";
import { ChangeList } from "./historyView.tsx";
import { type Questions, questionsCall, type Summary, summaryCall } from "./questions.ts";
import { KeepNote, Tiles } from "./questionsView.tsx";
import { type Change, type Kind, KINDS, type Rule, rulesCall } from "./rules.ts";
import { needsLook } from "./sourcesPart.tsx";
import { TimeChart } from "./timeChart.tsx";
import { useDesk } from "./words/index.ts";

const USUAL = new URLSearchParams();
const NOT_FOUND = new URLSearchParams({ view: "not_found" });
const SHOWN = 5;

export function Overview() {
  const words = useDesk();
  const key = useKey();
  const summary = useLoaded<Summary>(summaryCall(USUAL), key);
  const top = useLoaded<Questions>(questionsCall(USUAL), key);
  const lost = useLoaded<Questions>(questionsCall(NOT_FOUND), key);
  const changes = useLoaded<{ changes: Change[] }>(`curation/history?limit=${SHOWN}`, key);
  const sources = useLoaded<Sources>("harvest/sources", key);
  return (
    <>
      <h2>{words.nav.overview}</h2>
      {summary.problem && <ProblemNote problem={summary.problem} again={summary.again} />}
      {summary.said && <KeepNote keep={summary.said.keep} />}
      {summary.said && summary.said.asked > 0 && (
        <>
          <Tiles summary={summary.said} />
          <TimeChart moments={summary.said.over_time} />
        </>
      )}
      <div class="cards">
        <Card name={words.topQuestions} to="desk/questions">
          <Brief loaded={top} />
        </Card>
        <Card name={words.topNotFound} to="desk/questions?view=not_found">
          <Brief loaded={lost} />
        </Card>
        <Card name={words.rulesNow} to="desk/rules/pins">
          <Counts />
        </Card>
        <Card name={words.sourcesToSee} to="desk/sources">
          <SourcesBrief loaded={sources} />
        </Card>
      </div>
      {changes.said && changes.said.changes.length > 0 && (
        <section aria-labelledby="last-changes">
          <h3 id="last-changes">{words.lastChanges}</h3>
          <ChangeList changes={changes.said.changes} />
        </section>
      )}
    </>
  );
}

function Card({ name, to, children }: { name: string; to: string; children: ComponentChildren }) {
  const words = useDesk();
  return (
    <section class="panel" aria-label={name}>
      <h3>{name}</h3>
      {children}
      <p class="see-all">
        <Go to={to}>
          {words.seeAll}
          <span class="unseen">: {name}</span>
        </Go>
      </p>
    </section>
  );
}

function Brief({ loaded }: { loaded: Loaded<Questions> }) {
  const words = useDesk();
  const { said } = loaded;
  if (!said) return <p class="soft">{loaded.loading ? words.loading : words.notAllowed}</p>;
  if (said.questions.length === 0) return <p class="soft">{words.none}</p>;
  return (
    <ol class="brief">
      {said.questions.slice(0, SHOWN).map((one) => (
        <li key={one.question} class="breaks">
          <Go to={`./?${new URLSearchParams({ q: one.question })}`}>{one.question}</Go> <span class="soft small">{words.asked({ n: one.asked })}</span>
        </li>
      ))}
    </ol>
  );
}

function Counts() {
  const words = useDesk();
  const key = useKey();
  const [counts, setCounts] = useState<Partial<Record<Kind, number>>>({});
  useEffect(() => {
    const stop = new AbortController();
    Promise.all(KINDS.map(async (kind) => [kind, (await getJson<{ rules: Rule[] }>(rulesCall(kind, null), stop.signal)).rules.length] as const))
      .then((all) => setCounts(Object.fromEntries(all)))
      .catch(() => undefined);
    return () => stop.abort();
  }, [key]);
  return (
    <ul class="brief">
      {KINDS.map((kind) => (
        <li key={kind}>
          <Go to={`desk/rules/${kind}`}>{words.kinds[kind]}</Go> <span class="soft small">{counts[kind] ?? "…"}</span>
        </li>
      ))}
    </ul>
  );
}

function SourcesBrief({ loaded }: { loaded: Loaded<Sources> }) {
  const words = useDesk();
  const { said } = loaded;
  if (!said) return <p class="soft">{loaded.loading ? words.loading : words.notAllowed}</p>;
  const wrong = said.sources.filter(needsLook);
  if (wrong.length === 0) return <p>{words.sourcesWell}</p>;
  return (
    <ul class="brief">
      {wrong.slice(0, SHOWN).map((one) => (
        <li key={one.id}>
          <Go to={sourceAddress(one.id)}>{one.title}</Go>
          {one.lastRun && <RunLine run={one.lastRun} />}
        </li>
      ))}
    </ul>
  );
}
