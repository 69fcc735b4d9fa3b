// The steward's desk: one of its parts below its navigation. Loaded only when somebody opens it.

import { useEffect } from "preact/hooks";
import { setTitle } from "../portal.ts";
import { key as keyNow, noteSteward, useKey } from "../session.ts";
import { SignIn } from "../shell/signIn.tsx";
import { Go } from "../shell/link.tsx";
import { useLocale } from "../words/index.ts";
import { AlertsPart } from "./alertsPart.tsx";
import { DraftsView, DraftView } from "./draftsView.tsx";
import { HistoryView } from "./historyView.tsx";
import { Overview } from "./overview.tsx";
import { QuestionsView } from "./questionsView.tsx";
import { isKind } from "./rules.ts";
import { RulesView } from "./rulesView.tsx";
import { SourcesPart } from "./sourcesPart.tsx";
import { DeskContext, useLoadedWords } from "./words/index.ts";

const PARTS: Record<string, string> = {
  overview: "desk", questions: "desk/questions", rules: "desk/rules/pins", drafts: "desk/drafts", history: "desk/history", alerts: "desk/alerts", sources: "desk/sources",
};

export interface DeskProps {
  /** Behind `desk/`. */
  path: string;
  query: string;
}

export function DeskView({ path, query }: DeskProps) {
  const words = useLoadedWords(useLocale());
  const key = useKey();
  const [part = "", ...rest] = path.split("/");
  const name = part in PARTS ? part : "overview";
  const title = words?.nav[name];
  useEffect(() => {
    if (title) setTitle(title);
  }, [title]);
  useEffect(() => {
    if (keyNow() !== null) noteSteward();
  }, [key]);
  if (!words) return <main id="main" tabIndex={-1} class="desk" />;
  return (
    <DeskContext.Provider value={words}>
      <main id="main" tabIndex={-1} class="desk">
        <h1>{words.title}</h1>
        {key === null ? (
          <>
            <p>{words.help}</p>
            <SignIn />
          </>
        ) : (
          <>
            <nav class="parts" aria-label={words.title}>
              {Object.entries(PARTS).map(([one, address]) => (
                <Go key={one} to={address} current={one === name}>
                  {words.nav[one]}
                </Go>
              ))}
            </nav>
            <Part name={name} rest={rest} query={new URLSearchParams(query)} />
          </>
        )}
      </main>
    </DeskContext.Provider>
  );
}

function Part({ name, rest, query }: { name: string; rest: string[]; query: URLSearchParams }) {
  const [first] = rest;
  if (name === "questions") return <QuestionsView query={query} />;
  if (name === "rules") return <RulesView key={first} kind={isKind(first) ? first : "pins"} query={query} />;
  if (name === "drafts") return first ? <DraftView key={first} name={decodeURIComponent(first)} /> : <DraftsView />;
  if (name === "alerts") return <AlertsPart />;
  if (name === "history") return <HistoryView query={query} />;
  return name === "sources" ? <SourcesPart /> : <Overview />;
}
