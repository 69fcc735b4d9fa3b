// What is asked: how much, over time, and which questions.

import { useState } from "preact/hooks";
import { getJson, sent } from "../api.ts";
import { languageName } from "../languages.ts";
import { go, recordAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { Outcome, type Sending, useSending } from "../shell/sending.tsx";
import { useLocale, useWords, valueText } from "../words/index.ts";
import { changedQuery, daysOf, PERIODS, type Question, type Questions, questionsCall, sliceOf, type Summary, summaryCall, VIEWS, viewOf } from "./questions.ts";
import { Really } from "./really.tsx";
import { TimeChart } from "./timeChart.tsx";
import { useTitles } from "./useTitles.ts";
import { useDesk } from "./words/index.ts";

export function QuestionsView({ query }: { query: URLSearchParams }) {
  const words = useDesk();
  const key = useKey();
  const view = viewOf(query);
  const summary = useLoaded<Summary>(summaryCall(query), key);
  const questions = useLoaded<Questions>(questionsCall(query), key);
  const again = () => {
    summary.again();
    questions.again();
  };
  const problem = summary.problem ?? questions.problem;
  return (
    <>
      <h2>{words.nav.questions}</h2>
      <Choices query={query} summary={summary.said} />
      {problem && <ProblemNote problem={problem} again={again} />}
      {summary.loading && !summary.said && <p role="status">{words.loading}</p>}
      {summary.said && <KeepNote keep={summary.said.keep} />}
      {summary.said && summary.said.asked > 0 && (
        <>
          <Tiles summary={summary.said} />
          <TimeChart moments={summary.said.over_time} />
          <Sums query={query} summary={summary.said} />
        </>
      )}
      <nav class="kinds" aria-label={words.questionsWord}>
        {VIEWS.map((one) => (
          <Go key={one} to={changedQuery(query, "view", one)} current={one === view}>
            {words.views[one]}
          </Go>
        ))}
      </nav>
      <p>{words.viewHelp[view]}</p>
      {questions.said && <QuestionList said={questions.said} changed={again} />}
      <Exports query={query} />
      <PersonForm changed={again} />
    </>
  );
}

export function KeepNote({ keep }: { keep: string }) {
  const words = useDesk();
  if (keep === "full") return null;
  return <p class="note">{keep === "counts" ? words.countsOnly : words.off}</p>;
}

function Choices({ query, summary }: { query: URLSearchParams; summary: Summary | null }) {
  const words = useDesk();
  const set = (name: string) => (event: { currentTarget: HTMLSelectElement }) => go(changedQuery(query, name, event.currentTarget.value), true);
  const values = (name: string) => [...new Set([...(summary?.by[name] ?? []).map((one) => String(one.value)), ...(query.get(name) ? [query.get(name) as string] : [])])];
  return (
    <div class="row choices">
      <label>
        {words.period}{" "}
        <select value={daysOf(query)} onChange={set("days")}>
          {PERIODS.map((days) => (
            <option key={days} value={days}>
              {words.periods[days]}
            </option>
          ))}
        </select>
      </label>
      {(["language", "place", "decade"] as const).map((name) => (
        <label key={name}>
          {words[name]}{" "}
          <select value={query.get(name) ?? ""} onChange={set(name)}>
            <option value="">{words.all}</option>
            {values(name).map((value) => (
              <option key={value} value={value}>
                <Value name={name} value={value} />
              </option>
            ))}
          </select>
        </label>
      ))}
    </div>
  );
}

function Value({ name, value }: { name: string; value: string | number }) {
  const locale = useLocale();
  const page = useWords();
  const text = String(value);
  return <>{name === "language" ? (languageName(text, locale) ?? text) : valueText(name, text, page)}</>;
}

export function Tiles({ summary }: { summary: Summary }) {
  const words = useDesk();
  const locale = useLocale();
  const share = (n: number | undefined) => ((n ?? 0) / Math.max(1, summary.asked)).toLocaleString(locale, { style: "percent" });
  const tiles = [
    [summary.asked.toLocaleString(locale), words.tiles.asked],
    [share(summary.not_found), words.tiles.notFound],
    [share(summary.opened), words.tiles.opened],
    [words.milliseconds({ ms: Math.round(summary.median_ms ?? 0) }), words.tiles.median],
  ];
  return (
    <ul class="tiles">
      {tiles.map(([number, name]) => (
        <li key={name} class="panel">
          <strong>{number}</strong> {name}
        </li>
      ))}
    </ul>
  );
}

const SUMS_SHOWN = 8;

function Sums({ query, summary }: { query: URLSearchParams; summary: Summary }) {
  const words = useDesk();
  return (
    <div class="sums">
      {(["language", "place", "decade"] as const).map((name) => {
        const values = summary.by[name] ?? [];
        if (values.length === 0) return null;
        return (
          <section key={name} class="panel" aria-label={words.by[name]}>
            <h3>{words.by[name]}</h3>
            <ul>
              {values.slice(0, SUMS_SHOWN).map(({ value, asked }) => (
                <li key={value}>
                  <Go to={changedQuery(query, name, String(value))}>
                    <Value name={name} value={value} />
                  </Go>{" "}
                  <span class="soft">{asked}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function QuestionList({ said, changed }: { said: Questions; changed: () => void }) {
  const words = useDesk();
  const sending = useSending();
  const titles = useTitles(said.questions.flatMap((one) => Object.keys(one.records)));
  const most = Math.max(1, ...said.questions.map((one) => one.asked));
  return (
    <section aria-label={words.questionsWord}>
      {said.questions.length === 0 && <p class="soft">{words.none}</p>}
      <ol class="rules questions">
        {said.questions.map((one) => (
          <OneQuestion key={one.question} one={one} most={most} titles={titles} sending={sending} changed={changed} />
        ))}
      </ol>
      <Outcome of={sending} />
      {said.hidden.asked > 0 && <p class="soft">{words.hidden({ questions: said.hidden.questions, asked: said.hidden.asked })}</p>}
    </section>
  );
}

interface OneProps {
  one: Question;
  most: number;
  titles: ReadonlyMap<string, string> | null;
  sending: Sending;
  changed: () => void;
}

function OneQuestion({ one, most, titles, sending, changed }: OneProps) {
  const words = useDesk();
  const facts = [
    words.asked({ n: one.asked }),
    words.people({ n: one.people }),
    one.not_found > 0 && words.notFound({ n: one.not_found }),
    one.opened > 0 && words.opened({ n: one.opened }),
    words.median({ ms: Math.round(one.median_ms) }),
  ];
  const forget = () => {
    sending.send(async () => {
      const answer = await sent(`insight/queries?${new URLSearchParams({ question: one.question })}`, { method: "DELETE" });
      const { deleted } = (await answer.json()) as { deleted: number };
      changed();
      return words.deleted({ n: deleted });
    });
  };
  const asked = new URLSearchParams({ words: one.question });
  return (
    <li>
      <div class="rule">
        <div>
          <h3 class="breaks">
            <Go to={`./?${new URLSearchParams({ q: one.question })}`}>{one.question}</Go>
          </h3>
          <svg class="asked-bar" aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
            <rect width={(one.asked / most) * 100} height="4" />
          </svg>
          <p class="facts">{facts.filter(Boolean).map((fact) => <span key={String(fact)}>{fact}</span>)}</p>
          {Object.keys(one.records).length > 0 && (
            <p class="small breaks">
              {words.openedRecords}{" "}
              {Object.entries(one.records).map(([id, n]) => (
                <span key={id} class="example">
                  <Go to={recordAddress(id)}>{titles?.get(id) ?? id}</Go> <span class="soft">{n}</span>{" "}
                </span>
              ))}
            </p>
          )}
        </div>
        <p class="row">
          <Go to={`desk/rules/pins?${asked}`} class="as-button">
            <span aria-hidden="true">{words.pinFor}</span>
            <span class="unseen">{words.pinForOf({ question: one.question })}</span>
          </Go>
          <Go to={`desk/rules/synonyms?${asked}`} class="as-button">
            <span aria-hidden="true">{words.synonymFor}</span>
            <span class="unseen">{words.synonymForOf({ question: one.question })}</span>
          </Go>
          <Really name={words.forget} label={words.forgetOf({ question: one.question })} act={forget} />
        </p>
      </div>
    </li>
  );
}

function Exports({ query }: { query: URLSearchParams }) {
  const words = useDesk();
  const sending = useSending();
  const asJson = () => {
    sending.send(async () => {
      const said = await getJson<unknown>(questionsCall(query));
      saveFile(new Blob([JSON.stringify(said, null, 2)], { type: "application/json" }), "questions.json");
      return "";
    });
  };
  const toGrade = () => {
    sending.send(async () => {
      const asked = sliceOf(query);
      asked.set("view", viewOf(query));
      const answer = await sent(`insight/collection?${asked}`, {});
      saveFile(await answer.blob(), "questions.zip");
      return "";
    });
  };
  return (
    <section class="exports" aria-label={words.save}>
      <p class="row">
        <button type="button" onClick={asJson}>
          {words.asJson}
        </button>
        <button type="button" aria-describedby="grade-help" onClick={toGrade}>
          {words.toGrade}
        </button>
      </p>
      <p id="grade-help" class="soft small">
        {words.toGradeHelp}
      </p>
      <Outcome of={sending} />
    </section>
  );
}

function PersonForm({ changed }: { changed: () => void }) {
  const words = useDesk();
  const sending = useSending();
  const [subject, setSubject] = useState("");
  const remove = () => {
    sending.send(async () => {
      const answer = await sent(`insight/queries?${new URLSearchParams({ subject: subject.trim() })}`, { method: "DELETE" });
      const { deleted } = (await answer.json()) as { deleted: number };
      changed();
      return words.deleted({ n: deleted });
    });
  };
  return (
    <details class="panel">
      <summary>{words.person}</summary>
      <p>{words.personHelp}</p>
      <p class="row">
        <label>
          {words.subject} <input autocomplete="off" value={subject} onInput={(event) => setSubject(event.currentTarget.value)} />
        </label>
        <Really name={words.forget} label={words.person} busy={subject.trim() === ""} act={remove} />
      </p>
      <Outcome of={sending} />
    </details>
  );
}
