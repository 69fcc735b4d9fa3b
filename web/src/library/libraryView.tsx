// The user's own documents: upload, follow until they are ready, search, fetch, delete.

import { useEffect, useState } from "preact/hooks";
import { useKey } from "../session.ts";
import { KeyForm } from "../shell/keyForm.tsx";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { bytesText } from "../sizes.ts";
import { useLocale, useWords } from "../words/index.ts";
import { AddPanel } from "./addPanel.tsx";
import { DocumentRow } from "./documentRow.tsx";
import { type Asked, type Library, useDocuments } from "./documents.ts";
import { setTitle } from "../portal.ts";

export function LibraryView() {
  const words = useWords().library;
  const key = useKey();
  useEffect(() => {
    setTitle(words.title);
  }, [words]);
  return (
    <main id="main" tabIndex={-1} class="library">
      <h1>{words.title}</h1>
      <p>{words.help}</p>
      {key === null ? <KeyForm /> : <Shelf known={key} />}
    </main>
  );
}

function Shelf({ known }: { known: string }) {
  const words = useWords();
  const [asked, setAsked] = useState<Asked>({ q: "", state: "" });
  const documents = useDocuments(asked, known);
  const { library, problem } = documents;
  if (problem && library === null) return <ProblemNote problem={problem} again={documents.again} />;
  return (
    <>
      <AddPanel brought={documents.again} />
      <FindForm asked={asked} find={setAsked} />
      {problem && <ProblemNote problem={problem} again={documents.again} />}
      <p role="status" class="state">
        {library ? words.library.found(library.matched) : words.loading}
      </p>
      {library && <Listed library={library} asked={asked} changed={documents.again} more={documents.more} />}
    </>
  );
}

function Listed({ library, asked, changed, more }: { library: Library; asked: Asked; changed: () => void; more: () => void }) {
  const words = useWords().library;
  const locale = useLocale();
  const narrowed = asked.q !== "" || asked.state !== "";
  return (
    <>
      {library.documents.length === 0 && <p class="note">{narrowed ? words.nothing : words.empty}</p>}
      <ul class="documents">
        {library.documents.map((one) => (
          <DocumentRow key={one.id} document={one} changed={changed} />
        ))}
      </ul>
      {library.documents.length < library.matched && (
        <p class="more">
          <button type="button" onClick={more}>
            {words.more}
          </button>
        </p>
      )}
      <p class="row">
        {library.documents.some((one) => one.state === "ready") && <Go to="answers?scope=mine">{words.ask}</Go>}
        {library.quota && <span class="soft small">{words.quota(bytesText(library.quota.used, locale), bytesText(library.quota.bytes, locale))}</span>}
      </p>
    </>
  );
}

function FindForm({ asked, find }: { asked: Asked; find: (asked: Asked) => void }) {
  const words = useWords().library;
  const [text, setText] = useState(asked.q);
  const submit = (event: Event) => {
    event.preventDefault();
    find({ ...asked, q: text.trim() });
  };
  return (
    <form class="find-form" role="search" onSubmit={submit}>
      <label>
        <span>{words.search}</span>
        <input type="search" value={text} maxLength={2000} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label>
        <span>{words.state}</span>
        <select value={asked.state} onChange={(event) => find({ q: text.trim(), state: event.currentTarget.value })}>
          <option value="">{words.anyState}</option>
          {Object.entries(words.states).map(([state, said]) => (
            <option key={state} value={state}>
              {said}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">{words.find}</button>
    </form>
  );
}
