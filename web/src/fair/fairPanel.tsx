// How FAIR the metadata of a source are: a table of indicators, counted when it is opened.

import { useState } from "preact/hooks";
import type { CatalogueFairness } from "../openapi.ts";
import { useKey } from "../session.ts";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import type { Described } from "../types.ts";
import { useLocale, useWords } from "../words/index.ts";
import { type FairWords, useFairWords } from "./words/index.ts";

interface Indicator {
  id: string;
  priority: string;
  question: string;
  advice: string;
  holds: number;
  fails: number;
  notMeasured: number;
}

type Fairness = Described<CatalogueFairness, { indicators: Indicator[] }>;

export function FairPanel({ id, title }: { id: string; title: string }) {
  const page = useWords();
  const [open, setOpen] = useState(false);
  return (
    <details class="fair" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={`${page.fair}: ${title}`}>{page.fair}</summary>
      {open && <Opened id={id} title={title} />}
    </details>
  );
}

function Opened({ id, title }: { id: string; title: string }) {
  const page = useWords();
  const words = useFairWords(useLocale());
  const { said, problem, again } = useLoaded<Fairness>(`collections/${encodeURIComponent(id)}/fair`, useKey());
  if (problem) return <ProblemNote problem={problem} again={again} />;
  if (!said || !words) return <p role="status">{page.loading}</p>;
  return <Table fairness={said} title={title} words={words} />;
}

function Table({ fairness, title, words }: { fairness: Fairness; title: string; words: FairWords }) {
  const { records, lookedAt } = fairness;
  return (
    <>
      <p class="small soft">
        {lookedAt === records ? words.all({ n: records }) : words.part({ n: lookedAt, of: records })}{" "}
        <a href={fairness.model}>{words.model}</a>
      </p>
      <div class="scrolls" tabIndex={0} role="region" aria-label={words.caption({ title })}>
        <table>
          <caption class="unseen">{words.caption({ title })}</caption>
          <thead>
            <tr>
              {[words.indicator, words.priority, words.share, words.improve].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fairness.indicators.map((one) => (
              <tr key={one.id}>
                <th scope="row">
                  {words.questions[one.id] ?? one.question} <code class="small">{one.id}</code>
                </th>
                <td>{words.priorities[one.priority] ?? one.priority}</td>
                <td>
                  <Share of={one} words={words} />
                </td>
                <td>{one.fails > 0 ? (words.advice[one.id] ?? one.advice) : one.holds > 0 ? words.nothing : ""}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Of the records that were measured; whole percents that are neither 0 nor 100 unless it is none or all. */
function Share({ of, words }: { of: Indicator; words: FairWords }) {
  const locale = useLocale();
  const measured = of.holds + of.fails;
  if (measured === 0) return <>{words.notMeasured}</>;
  const exact = (of.holds / measured) * 100;
  const percent = of.holds === measured ? 100 : of.holds === 0 ? 0 : Math.min(99, Math.max(1, Math.round(exact)));
  return (
    <>
      <meter min={0} max={100} value={percent} aria-hidden="true" /> {(percent / 100).toLocaleString(locale, { style: "percent" })}
      {of.notMeasured > 0 && <span class="small soft"> ({words.partly({ n: of.notMeasured })})</span>}
    </>
  );
}
