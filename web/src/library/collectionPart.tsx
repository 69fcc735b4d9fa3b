// One collection: its documents, who may read it, and what can be asked of it.

import { useState } from "preact/hooks";
import { sent } from "../api.ts";
import { addressOf } from "../ask/asking.ts";
import { documentAddress } from "../document/document.ts";
import { FORMATS } from "../document/bibliographyPanel.tsx";
import type { CollectionChange, LibraryCollection, LibraryCollections } from "../openapi.ts";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { Outcome, type Sending, SureButton, useSending } from "../shell/sending.tsx";
import { useWords } from "../words/index.ts";
import { changedCollection, collectionCall, COLLECTIONS, compareAddress, deleted } from "./collections.ts";
import { CollectionFacts } from "./collectionsPart.tsx";
import { useOwn } from "./words/index.ts";

export function CollectionPart({ id }: { id: string }) {
  const page = useWords();
  const words = useOwn();
  const sending = useSending();
  const [changed, setChanged] = useState<LibraryCollection | null>(null);
  const { said, problem, again } = useLoaded<LibraryCollection>(collectionCall(id), useKey());
  const now = changed ?? said;
  if (problem) return <ProblemNote problem={problem} again={again} />;
  if (!now) return <p role="status">{page.loading}</p>;
  const change = (part: CollectionChange) =>
    sending.send(async () => {
      setChanged(await changedCollection(id, part));
      return "";
    });
  const remove = () =>
    sending.send(async () => {
      await deleted(collectionCall(id));
      go("my-documents/collections");
      return "";
    });
  const save = (form: string, ending: string) =>
    sending.send(async () => {
      const response = await sent(`${collectionCall(id)}/references?f=${form}`, {});
      saveFile(await response.blob(), `${now.name}.${ending}`);
      return "";
    });
  const asked = { question: "", where: { scope: "mine" as const, documents: [], collection: id }, keep: false, conversation: null };
  return (
    <>
      <h2>{now.name}</h2>
      <CollectionFacts of={now} />
      {now.description && <p>{now.description}</p>}
      {now.numberOfDocuments > 0 && (
        <p class="row">
          <Go to={addressOf(asked)}>{words.askIt}</Go>
          <Go to={compareAddress({ collection: id })}>{words.compareIt}</Go>
          {FORMATS.map((one) => (
            <button key={one.form} type="button" aria-label={page.download({ format: one.name })} onClick={() => save(one.form, one.ending)}>
              {one.name}
            </button>
          ))}
        </p>
      )}
      <Outcome of={sending} />
      <Members of={now} takeOut={(one) => change({ remove: [one] })} />
      {now.own && (
        <>
          <Sharing of={now} change={change} />
          <Naming key={now.updated} of={now} change={change} sending={sending} />
          <p>
            <SureButton name={words.remove} label={words.removeOf({ name: now.name })} really={words.really} busy={sending.busy} act={remove} />
          </p>
        </>
      )}
    </>
  );
}

function Members({ of: now, takeOut }: { of: LibraryCollection; takeOut: (id: string) => void }) {
  const words = useOwn();
  const documents = now.documents ?? [];
  return (
    <>
      {documents.length === 0 && <p class="note">{words.emptyCollection}</p>}
      {(now.gone ?? 0) > 0 && <p class="soft small">{words.gone({ n: now.gone ?? 0 })}</p>}
      <ul class="documents">
        {documents.map((one) => (
          <li key={one.id} class="document collection">
            <h3>
              <Go to={documentAddress(one.id)}>{one.title}</Go>
            </h3>
            {now.own && (
              <button type="button" aria-label={words.takeOutOf({ name: one.title })} onClick={() => takeOut(one.id)}>
                {words.takeOut}
              </button>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

interface ChangeProps {
  of: LibraryCollection;
  change: (part: CollectionChange) => void;
}

/** Each tick opens the collection to a group, or closes it, at once. */
function Sharing({ of: now, change }: ChangeProps) {
  const words = useOwn();
  const { said } = useLoaded<LibraryCollections>(COLLECTIONS, useKey());
  if (!said) return null;
  const all = [...new Set([...said.groups, ...now.groups])].sort();
  return (
    <fieldset class="panel sharing">
      <legend>{words.shareWith}</legend>
      <p class="soft small">{all.length > 0 ? words.shareHelp : words.noGroups}</p>
      {all.map((group) => (
        <label key={group}>
          <input
            type="checkbox"
            checked={now.groups.includes(group)}
            onChange={(event) => change({ groups: event.currentTarget.checked ? [...now.groups, group] : now.groups.filter((one) => one !== group) })}
          />{" "}
          {group}
        </label>
      ))}
    </fieldset>
  );
}

function Naming({ of: now, change, sending }: ChangeProps & { sending: Sending }) {
  const words = useOwn();
  const [name, setName] = useState(now.name);
  const [description, setDescription] = useState(now.description);
  const submit = (event: Event) => {
    event.preventDefault();
    change({ name: name.trim(), description: description.trim() });
  };
  return (
    <details>
      <summary>{words.edit}</summary>
      <form class="edit" onSubmit={submit}>
        <label>
          <span>{words.name}</span>
          <input value={name} required maxLength={200} onInput={(event) => setName(event.currentTarget.value)} />
        </label>
        <label>
          <span>{words.description}</span>
          <textarea rows={3} maxLength={2000} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
        </label>
        <p>
          <button type="submit" disabled={sending.busy}>
            {words.save}
          </button>
        </p>
      </form>
    </details>
  );
}
