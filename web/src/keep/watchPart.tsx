// Keeping a search, to be told of new records; and the searches kept before.

import { useState } from "preact/hooks";
import { asksNothing } from "../address.ts";
import { portal, SEARCH } from "../portal.ts";
import { useKey } from "../session.ts";
import { SignIn } from "../shell/signIn.tsx";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Outcome, type Sending, SureButton, useSending } from "../shell/sending.tsx";
import { useLocale, useWords } from "../words/index.ts";
import { addressOf, deleteSearch, keepSearch, type Saved, type Wanted } from "./saved.ts";
import type { KeepWords } from "./words/index.ts";

interface Props {
  search: URLSearchParams;
  title: string;
  words: KeepWords;
}

export function WatchPart({ search, title, words }: Props) {
  const key = useKey();
  return (
    <section>
      <h2>{words.watch}</h2>
      <p class="small soft">{words.watchHelp}</p>
      {key === null ? <SignIn /> : <OwnSearches search={search} title={title} words={words} known={key} />}
    </section>
  );
}

function OwnSearches({ search, title, words, known }: Props & { known: string }) {
  const sending = useSending();
  const own = useLoaded<{ searches: Saved[] }>("saved-searches", known);
  const changed = (said: string) => {
    own.again();
    return said;
  };
  if (own.problem) return <ProblemNote problem={own.problem} again={own.again} />;
  return (
    <>
      {!asksNothing(search) && <KeepForm search={search} title={title} words={words} sending={sending} changed={changed} />}
      <Outcome of={sending} />
      <h3>{words.own}</h3>
      {own.said?.searches.length === 0 && <p class="soft small">{words.none}</p>}
      <ul class="links">
        {own.said?.searches.map((one) => (
          <li key={one.id} class="row">
            <Go to={`${SEARCH}?${addressOf(one)}`}>{one.title}</Go>
            <a href={one.feed} aria-label={words.feedOf({ title: one.title })} class="small">
              {words.feed}
            </a>
            <SureButton name={words.remove} label={words.removeOf({ title: one.title })} really={words.really} busy={sending.busy}
              act={() => sending.send(async () => deleteSearch(one.id).then(() => changed(words.removed)))} />
            {one.problem && <span class="wrong-field" lang="en">{one.problem}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}

interface FormProps extends Props {
  sending: Sending;
  changed: (said: string) => string;
}

function KeepForm({ search, title, words, sending, changed }: FormProps) {
  const language = useLocale();
  const page = useWords();
  const [wanted, setWanted] = useState<Wanted>({ title, every: "day", mail: "", changes: false });
  const set = (part: Partial<Wanted>) => setWanted({ ...wanted, ...part });
  const keep = (event: Event) => {
    event.preventDefault();
    sending.send(async () => {
      const kept = await keepSearch(search, wanted, language);
      return changed(kept.mail && !kept.mail_confirmed ? `${words.kept} ${words.confirm}` : words.kept);
    });
  };
  return (
    <form class="keep-form" onSubmit={keep}>
      <label>
        <span>{words.title}</span>
        <input type="text" required maxLength={200} value={wanted.title} onInput={(event) => set({ title: event.currentTarget.value })} />
      </label>
      <label>
        <span>{words.every}</span>
        <select value={wanted.every} onChange={(event) => set({ every: event.currentTarget.value as Wanted["every"] })}>
          <option value="day">{words.day}</option>
          <option value="week">{words.week}</option>
        </select>
      </label>
      {portal.saves.includes("mail") && (
        <label>
          <span>{words.mail}</span>
          <input type="email" autocomplete="email" value={wanted.mail} aria-describedby="keep-mail" onInput={(event) => set({ mail: event.currentTarget.value.trim() })} />
          <span id="keep-mail" class="small soft">{words.mailHelp}</span>
        </label>
      )}
      <label class="check">
        <input type="checkbox" checked={wanted.changes} onChange={(event) => set({ changes: event.currentTarget.checked })} />
        <span>{words.changes}</span>
      </label>
      <button type="submit" disabled={sending.busy}>{sending.busy ? page.loading : words.keep}</button>
    </form>
  );
}
