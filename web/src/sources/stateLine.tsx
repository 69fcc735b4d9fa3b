// The state of a source, and a steward's actions.

import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { momentText } from "../times.ts";
import { useLocale, useWords, type Words } from "../words/index.ts";
import { type Run, setPaused, type SourceState, startRun } from "./harvest.ts";
import { Trend } from "./trend.tsx";

const TOLD = ["seen", "new", "changed", "removed", "refused", "failed"] as const;

export function StateLine({ state, changed }: { state: SourceState; changed: () => void }) {
  const words = useWords().harvest;
  const locale = useLocale();
  const { schedule, lastRun } = state;
  const when = schedule?.cron ? words.cron({ line: schedule.cron }) : schedule?.interval ? everyText(schedule.interval, words) : words.onDemand;
  const facts = [
    state.configured ? when : words.notConfigured,
    state.pausedBy && words.paused[state.pausedBy],
    state.nextRun && words.next({ when: momentText(state.nextRun, locale) }),
    lastRun ? words.last({ when: momentText(lastRun.started, locale) }) : words.never,
  ];
  return (
    <div class="state-line">
      <div>
        <p class="facts">{facts.filter(Boolean).map((fact) => <span key={fact}>{fact}</span>)}</p>
        {lastRun && <RunLine run={lastRun} />}
      </div>
      <Trend runs={state.trend} />
      {state.configured && <Actions state={state} changed={changed} />}
    </div>
  );
}

/** State and counts of a run, without zero counts. */
export function RunLine({ run }: { run: Run }) {
  const words = useWords().harvest;
  const counts = TOLD.filter((name) => name === "seen" || (run.counts[name] ?? 0) > 0);
  return (
    <p class="facts">
      <span class={`badge ${run.silent ? "failed" : run.state}`}>{run.silent ? words.silent : (words.states[run.state] ?? run.state)}</span>
      {counts.map((name) => (
        <span key={name} class={name === "refused" || name === "failed" ? "wrong-field" : undefined}>
          {words.counts[name]?.({ n: run.counts[name] ?? 0 })}
        </span>
      ))}
    </p>
  );
}

function Actions({ state, changed }: { state: SourceState; changed: () => void }) {
  const words = useWords().harvest;
  const [queued, setQueued] = useState<string | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const attempt = (act: () => Promise<void>) => () => {
    setProblem(null);
    act()
      .then(changed)
      .catch((error: unknown) => setProblem(asProblem(error)));
  };
  const run = attempt(async () => setQueued((await startRun(state.id)).run));
  const pause = attempt(async () => void (await setPaused(state.id, !state.paused)));
  return (
    <div class="actions">
      <button type="button" aria-label={words.runNowOf({ title: state.title })} disabled={state.lastRun?.state === "running" && !state.lastRun.silent} onClick={run}>
        {words.runNow}
      </button>
      {state.schedule && state.pausedBy !== "file" && (
        <button type="button" aria-label={(state.paused ? words.resumeOf : words.pauseOf)({ title: state.title })} onClick={pause}>
          {state.paused ? words.resume : words.pause}
        </button>
      )}
      <p role="status" class="small soft">
        {queued !== null && state.lastRun?.id !== queued ? words.queued : ""}
      </p>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
    </div>
  );
}

/** `12h` in words; as it is if it has another form. */
function everyText(interval: string, words: Words["harvest"]): string {
  const [, n, unit] = /^(\d+)([smhdw])$/.exec(interval) ?? [];
  return n && unit ? words.every({ unit, n: Number(n) }) : words.everyOther({ interval });
}
