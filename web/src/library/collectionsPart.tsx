// The user's collections, and those that are shared with the user's groups.

import { useState } from "preact/hooks";
import type { LibraryCollection, LibraryCollections } from "../openapi.ts";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Outcome, useSending } from "../shell/sending.tsx";
import { edgeText } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import { collectionAddress, COLLECTIONS, made } from "./collections.ts";
import { useOwn } from "./words/index.ts";

export function CollectionsPart() {
  const { loading: waiting } = useWords();
  const words = useOwn();
  const { said, problem, loading, again } = useLoaded<LibraryCollections>(COLLECTIONS, useKey());
  return (
    <>
      <h2>{words.parts.collections}</h2>
      <p>{words.collectionsHelp}</p>
      <NewForm />
      {problem && <ProblemNote problem={problem} again={again} />}
      {loading && !said && <p role="status">{waiting}</p>}
      {said?.collections.length === 0 && <p class="note">{words.nothing}</p>}
      <ul class="documents">
        {said?.collections.map((one) => (
          <li key={one.id} class="document collection">
            <div>
              <h3>
                <Go to={collectionAddress(one.id)}>{one.name}</Go>
              </h3>
              <CollectionFacts of={one} />
              {one.description && <p class="small">{one.description}</p>}
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}

export function CollectionFacts({ of: one }: { of: LibraryCollection }) {
  const words = useOwn();
  const locale = useLocale();
  const groups = one.groups.join(", ");
  const shared = !one.own ? words.sharedBy({ groups }) : groups ? words.sharedWith({ groups }) : words.yours;
  return (
    <p class="facts">
      {[words.documents({ n: one.numberOfDocuments }), shared, edgeText(one.updated, locale, false)].map((fact, index) => (
        <span key={index}>{fact}</span>
      ))}
    </p>
  );
}

function NewForm() {
  const words = useOwn();
  const sending = useSending();
  const [name, setName] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    sending.send(async () => {
      go(collectionAddress((await made(name.trim(), [])).id));
      return "";
    });
  };
  return (
    <form class="ask" onSubmit={submit}>
      <label for="new-collection">{words.newCollection}</label>
      <div class="ask-row">
        <input id="new-collection" value={name} required maxLength={200} placeholder={words.name} onInput={(event) => setName(event.currentTarget.value)} />
        <button type="submit" disabled={sending.busy}>
          {words.make}
        </button>
      </div>
      <Outcome of={sending} />
    </form>
  );
}
