// The user's kept questions and answers: go on with one, delete one or all.

import { useState } from "preact/hooks";
import { sent } from "../api.ts";
import type { LibraryConversation } from "../openapi.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Outcome, SureButton, useSending } from "../shell/sending.tsx";
import { edgeText } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import { CONVERSATIONS, deleted } from "./collections.ts";
import { useOwn } from "./words/index.ts";

const SHOWN = 50;

export function ConversationsPart() {
  const page = useWords();
  const words = useOwn();
  const locale = useLocale();
  const sending = useSending();
  const [shown, setShown] = useState(SHOWN);
  const { said, problem, loading, again } = useLoaded<{ conversations: LibraryConversation[] }>(CONVERSATIONS, useKey());
  const all = said?.conversations ?? [];
  const act = (done: () => Promise<string>) =>
    sending.send(async () => {
      const text = await done();
      again();
      return text;
    });
  const forget = async () => {
    const answer = await sent(CONVERSATIONS, { method: "DELETE" });
    return words.forgotten({ n: ((await answer.json()) as { deleted: number }).deleted });
  };
  const remove = async (one: LibraryConversation) => {
    await deleted(`${CONVERSATIONS}/${one.id}`);
    return words.forgotten({ n: 1 });
  };
  return (
    <>
      <h2>{words.parts.conversations}</h2>
      <p>{words.conversationsHelp}</p>
      <p>
        <Go to="answers?scope=mine">{words.newQuestion}</Go>
      </p>
      {problem && <ProblemNote problem={problem} again={again} />}
      {loading && !said && <p role="status">{page.loading}</p>}
      <Outcome of={sending} />
      {said && all.length === 0 && <p class="note">{words.nothing}</p>}
      <ul class="documents">
        {all.slice(0, shown).map((one) => (
          <li key={one.id} class="document collection">
            <div>
              <h3>
                <Go to={`answers?conversation=${one.id}`}>{one.title}</Go>
              </h3>
              <p class="facts">
                {[words.turns({ n: one.numberOfTurns }), edgeText(one.updated, locale, false)].map((fact) => (
                  <span key={fact}>{fact}</span>
                ))}
              </p>
            </div>
            <SureButton name={words.remove} label={words.removeOf({ name: one.title })} really={words.really} busy={sending.busy} act={() => act(() => remove(one))} />
          </li>
        ))}
      </ul>
      <p class="row">
        {all.length > shown && (
          <button type="button" onClick={() => setShown(shown + SHOWN)}>
            {page.more}
          </button>
        )}
        {all.length > 0 && <SureButton name={words.forgetAll} label={words.forgetAll} really={words.really} busy={sending.busy} act={() => act(forget)} />}
      </p>
    </>
  );
}
