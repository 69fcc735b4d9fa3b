// The list of the user's documents: upload, follow until they are ready, search, sort, choose, fetch, delete.

import { useEffect, useRef, useState } from "preact/hooks";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { bytesText } from "../sizes.ts";
import { useLocale, useWords } from "../words/index.ts";
import { AddPanel } from "./addPanel.tsx";
import { type Chosen, ChosenBar, changedChoice } from "./chosenBar.tsx";
import { DocumentRow, nameOf } from "./documentRow.tsx";
import { type Asked, type Library, type OwnDocument, useDocuments, USUAL_SORT } from "./documents.ts";
import { useOwn } from "./words/index.ts";

export function DocumentsPart({ known }: { known: string }) {
  const words = useWords();
  const [asked, setAsked] = useState<Asked>({ q: "", state: "", sort: USUAL_SORT });
  const [chosen, setChosen] = useState<Chosen>(new Map());
  const documents = useDocuments(asked, known);
  const { library, problem } = documents;
  if (problem && library === null) return <ProblemNote problem={problem} again={documents.again} />;
  return (
    <>
      <p>{words.library.help}</p>
      <AddPanel brought={documents.again} />
      <FindForm asked={asked} find={setAsked} />
      {problem && <ProblemNote problem={problem} again={documents.again} />}
      <p role="status" class="state">
        {library ? words.library.found({ n: library.matched }) : words.loading}
      </p>
      <Moved documents={library?.documents ?? []} />
      <ChosenBar chosen={chosen} choose={setChosen} />
      {library && <Listed library={library} asked={asked} chosen={chosen} choose={setChosen} changed={documents.again} more={documents.more} />}
    </>
  );
}

/** Says which documents came into another state since the list was last loaded: a badge that changes is not read out. */
function Moved({ documents }: { documents: readonly OwnDocument[] }) {
  const states = useWords().library.states;
  const before = useRef(new Map<string, string>());
  const [said, setSaid] = useState("");
  useEffect(() => {
    const moved = documents.filter((one) => before.current.has(one.id) && before.current.get(one.id) !== one.state);
    for (const one of documents) before.current.set(one.id, one.state ?? "");
    if (moved.length > 0) setSaid(moved.map((one) => `${nameOf(one)}: ${states[one.state ?? ""] ?? one.state ?? ""}`).join(". "));
  }, [documents]);
  return <p role="status" class="moved unseen">{said}</p>;
}

interface ListedProps {
  library: Library;
  asked: Asked;
  chosen: Chosen;
  choose: (chosen: Chosen) => void;
  changed: () => void;
  more: () => void;
}

function Listed({ library, asked, chosen, choose, changed, more }: ListedProps) {
  const words = useWords().library;
  const locale = useLocale();
  const narrowed = asked.q !== "" || asked.state !== "";
  return (
    <>
      {library.documents.length === 0 && <p class="note">{narrowed ? words.nothing : words.empty}</p>}
      <ul class="documents">
        {library.documents.map((one) => (
          <DocumentRow key={one.id} document={one} chosen={chosen.has(one.id)} choose={(yes) => choose(changedChoice(chosen, one, yes))} changed={changed} />
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
        {library.quota && <span class="soft small">{words.quota({ used: bytesText(library.quota.used, locale), all: bytesText(library.quota.bytes, locale) })}</span>}
      </p>
    </>
  );
}

function FindForm({ asked, find }: { asked: Asked; find: (asked: Asked) => void }) {
  const words = useWords().library;
  const own = useOwn();
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
        <select value={asked.state} onChange={(event) => find({ ...asked, q: text.trim(), state: event.currentTarget.value })}>
          <option value="">{words.anyState}</option>
          {Object.entries(words.states).map(([state, said]) => (
            <option key={state} value={state}>
              {said}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{own.sort}</span>
        <select value={asked.sort} onChange={(event) => find({ ...asked, q: text.trim(), sort: event.currentTarget.value })}>
          {Object.entries(own.sorts).map(([sort, said]) => (
            <option key={sort} value={sort}>
              {said}
            </option>
          ))}
        </select>
      </label>
      <button type="submit">{words.find}</button>
    </form>
  );
}
