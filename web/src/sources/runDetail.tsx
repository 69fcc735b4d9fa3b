// The details of one run: refused documents with their reasons, failures, warnings by kind, times by stage.

import { useKey } from "../session.ts";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { durationOf } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import { FindingLine } from "./findingLine.tsx";
import type { Refusal, WholeRun } from "./harvest.ts";

const MOST = 100;

export function RunDetail({ id }: { id: string }) {
  const words = useWords();
  const locale = useLocale();
  const { said, problem, again } = useLoaded<WholeRun>(`harvest/runs/${encodeURIComponent(id)}`, useKey());
  if (problem) return <ProblemNote problem={problem} again={again} />;
  if (!said) return <p role="status">{words.loading}</p>;
  const took = Object.entries(said.took_ms).sort(([, a], [, b]) => b - a);
  return (
    <div class="run-detail">
      <p class="facts">
        {Object.entries(said.counts).filter(([, n]) => n > 0).map(([name, n]) => (
          <span key={name}>
            {words.harvest.counts[name]?.({ n }) ?? `${n} ${name}`}
          </span>
        ))}
      </p>
      {said.refusals.length === 0 && <p>{words.harvest.nothingRefused}</p>}
      <Refusals title={words.harvest.refusedTitle({ n: said.counts.refused ?? said.refusals.length })} refusals={said.refusals} />
      <Refusals title={words.harvest.failedTitle({ n: said.counts.failed ?? said.failures.length })} refusals={said.failures} />
      {said.warnings.length > 0 && (
        <>
          <h4>{words.harvest.warningsTitle}</h4>
          <ul>
            {said.warnings.map((one) => (
              <li key={one.kind} class="breaks">
                {one.count} × <FindingLine what={one.kind} /> <span class="soft small">{one.examples[0]}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {took.length > 0 && (
        <p class="soft small">
          {words.harvest.took({ list: took.map(([stage, ms]) => `${words.harvest.stages[stage] ?? stage} ${durationOf(ms, locale)}`).join(", ") })}
        </p>
      )}
    </div>
  );
}

function Refusals({ title, refusals }: { title: string; refusals: readonly Refusal[] }) {
  const words = useWords().harvest;
  if (refusals.length === 0) return null;
  return (
    <>
      <h4>{title}</h4>
      <ul class="refusals">
        {refusals.slice(0, MOST).map((one, index) => (
          <li key={index} class="breaks">
            <FindingLine what={one.reason} /> <code>{one.origin}</code> {one.kept && <span class="soft small">({words.kept})</span>}
          </li>
        ))}
      </ul>
      {refusals.length > MOST && <p>… {refusals.length - MOST}</p>}
    </>
  );
}
