// The sources as a steward looks after them: their state, and the last runs in which something went wrong.

import { sourceAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import type { Overview, Run, SourceState } from "../sources/harvest.ts";
import { RunDetail } from "../sources/runDetail.tsx";
import { RunLine, StateLine } from "../sources/stateLine.tsx";
import { useLooking } from "../sources/useLooking.ts";
import { momentText } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import { useState } from "preact/hooks";
import { RemoveSource } from "./removeSource.tsx";
import { useDesk } from "./words/index.ts";

const NONE: never[] = [];
const RUNS = 100;
const SHOWN = 10;

export function SourcesPart() {
  const page = useWords();
  const words = useDesk();
  const key = useKey();
  const { said, problem, loading, again } = useLoaded<Overview>("harvest/sources", key);
  const runs = useLoaded<{ runs: Run[] }>(`harvest/runs?limit=${RUNS}`, key);
  const states = said?.sources ?? NONE;
  useLooking(states, again);
  const wrong = (runs.said?.runs ?? NONE).filter(isWrong).slice(0, SHOWN);
  return (
    <>
      <h2>{words.nav.sources}</h2>
      {problem && <ProblemNote problem={problem} again={again} />}
      {loading && !said && <p role="status">{words.loading}</p>}
      {said?.["sonde:degraded"].length ? <p class="note degraded">{page.harvest.noSchedule}</p> : null}
      <ul class="rules">
        {[...states].sort((a, b) => Number(needsLook(b)) - Number(needsLook(a))).map((state) => (
          <li key={state.id}>
            <h3>
              <Go to={sourceAddress(state.id)}>{state.title}</Go>
            </h3>
            <StateLine state={state} changed={again} />
            <RemoveSource state={state} changed={again} />
          </li>
        ))}
      </ul>
      {runs.said && (
        <section aria-labelledby="last-runs">
          <h3 id="last-runs">{words.lastRuns}</h3>
          {wrong.length === 0 && <p class="soft">{words.noProblems}</p>}
          <ul class="rules runs">
            {wrong.map((run) => (
              <WrongRun key={run.id} run={run} title={states.find((one) => one.id === run.source)?.title ?? run.source} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function WrongRun({ run, title }: { run: Run; title: string }) {
  const words = useDesk();
  const locale = useLocale();
  const [open, setOpen] = useState(false);
  const when = momentText(run.started, locale);
  return (
    <li>
      <h4>
        {title} <span class="soft small">{when}</span>
      </h4>
      <RunLine run={run} />
      {run.message && <p class="soft small breaks" lang="en">{run.message}</p>}
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-label={`${words.findings}: ${title}, ${when}`}>{words.findings}</summary>
        {open && <RunDetail id={run.id} />}
      </details>
    </li>
  );
}

export function needsLook({ lastRun }: SourceState): boolean {
  return lastRun !== null && isWrong(lastRun);
}

function isWrong(run: Run): boolean {
  return run.silent || !["complete", "running"].includes(run.state) || (run.counts.refused ?? 0) + (run.counts.failed ?? 0) > 0;
}
