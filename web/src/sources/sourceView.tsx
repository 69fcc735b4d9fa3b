// One source for stewards: its state, its runs with refusals and reasons, and the quality of its metadata.

import { useEffect, useState } from "preact/hooks";
import { useKey } from "../session.ts";
import { SignIn } from "../shell/signIn.tsx";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { momentText } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import { type Run, sourceCall, type SourceState } from "./harvest.ts";
import { QualityPanel } from "./qualityPanel.tsx";
import { RunDetail } from "./runDetail.tsx";
import { RunLine, StateLine } from "./stateLine.tsx";
import { useLooking } from "./useLooking.ts";
import { setTitle } from "../portal.ts";

export function SourceView({ id }: { id: string }) {
  const words = useWords();
  const key = useKey();
  const state = useLoaded<SourceState>(key === null ? null : sourceCall(id), key);
  const runs = useLoaded<{ runs: Run[] }>(key === null ? null : `harvest/runs?${new URLSearchParams({ source: id })}`, key);
  const title = state.said?.title ?? id;
  const again = () => {
    state.again();
    runs.again();
  };
  useLooking(state.said ? [state.said] : [], again);
  useEffect(() => {
    setTitle(title);
  }, [title]);
  return (
    <main id="main" tabIndex={-1} class="sources source">
      <p class="back">
        <Go to="sources">← {words.harvest.allSources}</Go>
      </p>
      <h1>{title}</h1>
      {key === null && (
        <>
          <p>{words.harvest.stewardsHelp}</p>
          <SignIn />
        </>
      )}
      {state.loading && !state.said && <p role="status">{words.loading}</p>}
      {state.problem?.status === 404 && <p class="note">{words.harvest.gone}</p>}
      {state.problem && state.problem.status !== 404 && <ProblemNote problem={state.problem} again={again} />}
      {state.said && (
        <>
          {state.said["sonde:degraded"]?.length ? <p class="note degraded">{words.harvest.noSchedule}</p> : null}
          <section class="panel">
            <StateLine state={state.said} changed={again} />
          </section>
          <Runs runs={runs.said?.runs ?? []} />
          <QualityPanel id={id} />
        </>
      )}
    </main>
  );
}

function Runs({ runs }: { runs: readonly Run[] }) {
  const words = useWords().harvest;
  if (runs.length === 0) return null;
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">{words.runsTitle}</h2>
      <ul class="runs">
        {runs.map((run) => (
          <RunRow key={run.id} run={run} />
        ))}
      </ul>
    </section>
  );
}

function RunRow({ run }: { run: Run }) {
  const words = useWords().harvest;
  const locale = useLocale();
  const [open, setOpen] = useState(false);
  const when = momentText(run.started, locale);
  return (
    <li>
      <h3>
        {when} <span class="soft small">{run.full ? words.full : words.changesOnly}</span>
      </h3>
      <RunLine run={run} />
      {run.message && <p class="soft small breaks" lang="en">{run.message}</p>}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-label={words.showRunOf({ when })}>{words.showRun}</summary>
        {open && <RunDetail id={run.id} />}
      </details>
    </li>
  );
}
