// What can be done with the chosen documents: ask them, compare them, put them into a collection.

import { useEffect, useState } from "preact/hooks";
import { addressOf } from "../ask/asking.ts";
import type { LibraryCollection } from "../openapi.ts";
import { Go } from "../shell/link.tsx";
import { Outcome, useSending } from "../shell/sending.tsx";
import { changedCollection, compareAddress, made, MOST_COMPARED, ownCollections } from "./collections.ts";
import type { OwnDocument } from "./documents.ts";
import { useOwn } from "./words/index.ts";

/** Their ids and names, in the order of choosing. */
export type Chosen = ReadonlyMap<string, string>;

export function changedChoice(chosen: Chosen, document: OwnDocument, yes: boolean): Chosen {
  const after = new Map(chosen);
  if (yes) after.set(document.id, document.title ?? document.name ?? document.id);
  else after.delete(document.id);
  return after;
}

export function ChosenBar({ chosen, choose }: { chosen: Chosen; choose: (chosen: Chosen) => void }) {
  const words = useOwn();
  const documents = [...chosen.keys()];
  const asked = { question: "", where: { scope: "mine" as const, documents, collection: null }, keep: false, conversation: null };
  if (chosen.size === 0) return <div role="status" class="chosen" />;
  return (
    <section class="chosen panel" aria-label={words.chosen({ n: chosen.size })}>
      <p class="row">
        <strong role="status">{words.chosen({ n: chosen.size })}</strong>
        <Go to={addressOf(asked)}>{words.askThese}</Go>
        {chosen.size <= MOST_COMPARED ? <Go to={compareAddress({ documents })}>{words.compareThese}</Go> : <span class="soft small">{words.atMostCompared}</span>}
        <button type="button" class="plain" onClick={() => choose(new Map())}>
          {words.chooseNone}
        </button>
      </p>
      <PutForm documents={documents} />
    </section>
  );
}

const NEW = "";

/** Puts documents into a collection of the user's, or into a new one. */
export function PutForm({ documents }: { documents: readonly string[] }) {
  const words = useOwn();
  const sending = useSending();
  const [collections, setCollections] = useState<LibraryCollection[]>([]);
  const [into, setInto] = useState(NEW);
  const [name, setName] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    ownCollections(stop.signal).then(setCollections).catch(() => undefined); // a new one can be made all the same
    return () => stop.abort();
  }, [sending.said]);
  const submit = (event: Event) => {
    event.preventDefault();
    sending.send(async () => {
      const kept = into === NEW ? await made(name.trim(), documents) : await changedCollection(into, { add: [...documents] });
      setInto(kept.id);
      setName("");
      return words.isIn({ n: documents.length, name: kept.name });
    });
  };
  return (
    <form class="put" onSubmit={submit}>
      <p class="row">
        <label>
          {words.putInto}{" "}
          <select value={into} onChange={(event) => setInto(event.currentTarget.value)}>
            <option value={NEW}>{words.newDots}</option>
            {collections.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        </label>
        {into === NEW && (
          <label>
            {words.name}{" "}
            <input value={name} required maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
          </label>
        )}
        <button type="submit" disabled={sending.busy}>
          {words.put}
        </button>
      </p>
      <Outcome of={sending} />
    </form>
  );
}
