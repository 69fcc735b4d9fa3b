// The same questions to up to twenty documents, as a table whose cells cite their pages.

import { useEffect, useRef, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";
import { documentAddress, type DocumentFeature } from "../document/document.ts";
import type { LibraryCollection, LibraryCollections } from "../openapi.ts";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { collectionCall, COLLECTIONS, compareAddress, MOST_COMPARED } from "./collections.ts";
import { compare, type Compared, type Comparison, csvOf, questionsOf } from "./compared.ts";
import { ComparedTable } from "./comparedTable.tsx";
import { useOwn } from "./words/index.ts";

const ADDRESS = "URL";
/** Tells spreadsheets that the file is UTF-8. */
const BOM = "\ufeff";
const ID = /^[0-9a-f]{32}$/;

export function ComparePart({ query }: { query: string }) {
  const words = useOwn();
  const said = new URLSearchParams(query);
  const collection = ID.test(said.get("collection") ?? "") ? said.get("collection") : null;
  const documents = (said.get("documents") ?? "").split(",").filter((one) => ID.test(one)).slice(0, MOST_COMPARED);
  return (
    <>
      <h2>{words.parts.compare}</h2>
      <p>{words.compareHelp}</p>
      {collection === null && documents.length === 0 ? <Choice /> : <Asking collection={collection} documents={documents} />}
    </>
  );
}

/** Nothing is chosen yet: a collection, or the way to the documents. */
function Choice() {
  const words = useOwn();
  const [id, setId] = useState("");
  const { said } = useLoaded<LibraryCollections>(COLLECTIONS, useKey());
  const filled = said?.collections.filter((one) => one.numberOfDocuments > 0) ?? [];
  const chosen = id || filled[0]?.id;
  const submit = (event: Event) => {
    event.preventDefault();
    if (chosen) go(compareAddress({ collection: chosen }));
  };
  return (
    <>
      <p class="note">{words.compareWhich}</p>
      {filled.length > 0 && (
        <form class="row" onSubmit={submit}>
          <label>
            {words.collection}{" "}
            <select value={chosen ?? ""} onChange={(event) => setId(event.currentTarget.value)}>
              {filled.map((one) => (
                <option key={one.id} value={one.id}>
                  {one.name}
                </option>
              ))}
            </select>
          </label>
          <button type="submit">{words.open}</button>
        </form>
      )}
    </>
  );
}

function Asking({ collection, documents }: { collection: string | null; documents: readonly string[] }) {
  const words = useOwn();
  const [text, setText] = useState("");
  const [comparison, setComparison] = useState<Comparison | null>(null);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const questions = questionsOf(text);
  const start = (asked: readonly string[]) => {
    stop.current.abort();
    stop.current = new AbortController();
    const among: Compared = collection === null ? { questions: asked, documents } : { questions: asked, collection };
    void compare(among, stop.current.signal, setComparison);
  };
  const halt = () => {
    stop.current.abort();
    setComparison((now) => now && { ...now, state: "stopped" });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (questions.length > 0) start(questions);
  };
  return (
    <>
      {collection === null ? <Named documents={documents} /> : <NamedCollection id={collection} />}
      <form class="compare" onSubmit={submit}>
        <label>
          <span>{words.questions}</span>
          <textarea rows={3} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <p class="row">
          <button type="submit" class="main-button" disabled={comparison?.state === "running"}>
            {words.compare}
          </button>
          {comparison?.state === "running" && (
            <button type="button" onClick={halt}>
              {words.halt}
            </button>
          )}
        </p>
      </form>
      {comparison && <Result of={comparison} again={() => start(comparison.questions)} />}
    </>
  );
}

function NamedCollection({ id }: { id: string }) {
  const words = useOwn();
  const { said, problem, again } = useLoaded<LibraryCollection>(collectionCall(id), useKey());
  if (problem) return <ProblemNote problem={problem} again={again} />;
  return <p class="facts">{said && [`${words.collection}: ${said.name}`, words.documents({ n: said.numberOfDocuments })].map((fact) => <span key={fact}>{fact}</span>)}</p>;
}

/** The titles of the chosen documents. */
function Named({ documents }: { documents: readonly string[] }) {
  const words = useOwn();
  const key = useKey();
  const [titles, setTitles] = useState<Record<string, string>>({});
  const all = documents.join();
  useEffect(() => {
    const stop = new AbortController();
    for (const id of all.split(",")) {
      getIfThere<DocumentFeature>(`documents/${id}`, stop.signal)
        .then((found) => found && setTitles((known) => ({ ...known, [id]: found.properties.title ?? id })))
        .catch(() => undefined); // the comparison itself says what is wrong
    }
    return () => stop.abort();
  }, [all, key]);
  return (
    <details>
      <summary>{words.documents({ n: documents.length })}</summary>
      <ul class="sending">
        {documents.map((id) => (
          <li key={id}>
            <Go to={documentAddress(id)}>{titles[id] ?? id}</Go>
          </li>
        ))}
      </ul>
    </details>
  );
}

function Result({ of: now, again }: { of: Comparison; again: () => void }) {
  const words = useOwn();
  const save = () => {
    const heads = { document: words.document, address: ADDRESS, pages: words.pages };
    saveFile(new Blob([BOM, csvOf(now, heads)], { type: "text/csv;charset=utf-8" }), "comparison.csv");
  };
  return (
    <>
      <p role="status" class="state">
        {now.state === "done" ? words.complete({ n: now.rows.length }) : words.answered({ n: now.rows.length })}
        {now.leftOut > 0 && ` ${words.leftOut({ n: now.leftOut })}`}
      </p>
      {now.problem && <ProblemNote problem={now.problem} again={again} />}
      {now.rows.length > 0 && (
        <>
          <ComparedTable of={now} />
          <p>
            <button type="button" onClick={save}>
              {words.saveCsv}
            </button>
          </p>
        </>
      )}
    </>
  );
}
