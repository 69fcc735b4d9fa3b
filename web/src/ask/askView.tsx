// Questions to the documents, their answers, and the cited passages.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import { go } from "../route.ts";
import { key as keyNow, useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { useWords } from "../words/index.ts";
import { addressOf, type Asking, askingOf, SCOPES } from "./asking.ts";
import { ask, type Exchange, keptExchange, type KeptTurn, type Scope, type Where, whereOf } from "./answer.ts";
import { ExchangeView } from "./exchangeView.tsx";
import { setTitle } from "../portal.ts";

export function AskView({ query }: { query: string }) {
  const words = useWords().answers;
  const known = useKey() !== null;
  const asking = askingOf(query);
  const { exchanges, where, problem, further, busy, again } = useExchanges(asking);
  const begins = exchanges.length === 0;
  const first = asking.question || exchanges[0]?.question;
  useEffect(() => {
    setTitle(first || words.title);
  }, [first, words]);
  return (
    <main id="main" tabIndex={-1} class="answers">
      <h1>{words.title}</h1>
      {begins && <p>{words.help}</p>}
      {known || <NoDocuments />}
      <Within where={where} />
      {problem && <ProblemNote problem={problem} again={again} />}
      {exchanges.map((one, index) => (
        <ExchangeView key={index} exchange={one} name={`${index + 1}`} again={again} />
      ))}
      <QuestionForm
        key={`${exchanges.length} ${where.collection ?? where.documents.join()}`}
        where={where}
        isFirst={begins}
        busy={busy}
        ask={(question, chosen) => (begins ? go(addressOf({ ...asking, question, ...chosen })) : further(question))}
      />
      <p class="row">
        {!begins && (
          <button type="button" class="plain" onClick={() => go(addressOf({ ...asking, question: "", conversation: null, where }))}>
            {words.anew}
          </button>
        )}
        {known && <Go to="my-documents/conversations">{words.keptUnder}</Go>}
      </p>
    </main>
  );
}

/** Says that there is nothing to ask, so that nobody takes each refusal for their own fault. */
function NoDocuments() {
  const words = useWords().answers;
  const [none, setNone] = useState(false);
  useEffect(() => {
    const stop = new AbortController();
    getJson<{ numberMatched: number }>("documents?limit=1", stop.signal)
      .then((found) => setNone(found.numberMatched === 0))
      .catch(() => undefined); // the answer itself says what does not work
    return () => stop.abort();
  }, []);
  return none ? <p class="note">{words.noDocuments}</p> : null;
}

/** Says that only a collection, or chosen documents, are asked. */
function Within({ where }: { where: Where }) {
  const words = useWords().answers;
  const [name, setName] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    setName("");
    if (where.collection) {
      getJson<{ name: string }>(`library/collections/${where.collection}`, stop.signal)
        .then((found) => setName(found.name))
        .catch(() => undefined); // the question itself says what is wrong with it
    }
    return () => stop.abort();
  }, [where.collection]);
  if (where.collection) {
    return (
      <p class="facts within">
        <Go to={`my-documents/collections/${where.collection}`}>{words.withinCollection({ name })}</Go>
      </p>
    );
  }
  return where.documents.length > 0 ? <p class="facts within">{words.within({ n: where.documents.length })}</p> : null;
}

interface FormProps {
  where: Where;
  isFirst: boolean;
  busy: boolean;
  ask(question: string, chosen: { where: Where; keep: boolean }): void;
}

function QuestionForm({ where, isFirst, busy, ask: asks }: FormProps) {
  const words = useWords().answers;
  const known = useKey() !== null;
  const narrowed = where.collection !== null || where.documents.length > 0;
  const [text, setText] = useState("");
  const [scope, setScope] = useState(where.scope);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const keep = known && (chosen ?? (narrowed || scope !== "public"));
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() && !busy) asks(text.trim(), { where: { ...where, scope }, keep });
  };
  return (
    <form class="ask" onSubmit={submit}>
      <label for="question">{words.label}</label>
      <div class="ask-row">
        <input id="question" value={text} maxLength={2000} placeholder={isFirst ? words.placeholder : ""} autocomplete="off" onInput={(event) => setText(event.currentTarget.value)} />
        <button type="submit" class="main-button" disabled={busy}>
          {isFirst ? words.ask : words.more}
        </button>
      </div>
      {isFirst && known && (
        <p class="row">
          {!narrowed && (
            <label class="scope">
              {words.scope}{" "}
              <select value={scope} onChange={(event) => setScope(event.currentTarget.value as Scope)}>
                {SCOPES.map((one) => (
                  <option key={one} value={one}>
                    {words.scopes[one]}
                  </option>
                ))}
              </select>
            </label>
          )}
          <label class="scope">
            <input type="checkbox" checked={keep} onChange={(event) => setChosen(event.currentTarget.checked)} /> {words.keep}
          </label>
        </p>
      )}
    </form>
  );
}

/** The exchanges left last, so that who comes back from a document need not wait for the answer again. */
let recent: { place: string; key: string | null; exchanges: Exchange[] } | null = null;

/** The conversation of the address: a kept one, or one that starts with its question. Another address starts another one. */
function useExchanges({ question, where: asked, keep, conversation }: Asking) {
  const key = useKey();
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const [where, setWhere] = useState(asked);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  const stop = useRef(new AbortController());
  /** The kept conversation on the screen, and whose it is. */
  const held = useRef<{ id: string; key: string | null } | null>(null);
  const run = useCallback((next: string, among: Where, earlier: readonly Exchange[], into: string | null) => {
    stop.current.abort();
    stop.current = new AbortController();
    void ask({ question: next, where: among, earlier, conversation: into }, stop.current.signal, (now) => {
      setExchanges([...earlier, now]);
      const kept = now.answer?.conversation;
      if (kept === undefined || kept === held.current?.id) return;
      held.current = { id: kept, key: keyNow() };
      go(addressOf({ question: "", where: among, keep: false, conversation: kept }), true); // a reload shows it again, and asks nothing
    });
  }, []);
  const place = JSON.stringify([question, asked, keep, conversation]);
  useEffect(() => {
    if (conversation !== null && conversation === held.current?.id && key === held.current.key) return;
    stop.current.abort();
    stop.current = new AbortController();
    held.current = conversation === null ? null : { id: conversation, key };
    setExchanges([]);
    setProblem(null);
    setWhere(asked);
    if (conversation !== null) {
      getJson<{ turns: KeptTurn[] }>(`library/conversations/${conversation}`, stop.current.signal)
        .then(({ turns }) => {
          setExchanges(turns.map(keptExchange));
          const last = turns.at(-1);
          if (last) setWhere(whereOf(last.asked));
        })
        .catch((error: unknown) => !isAbort(error) && setProblem(asProblem(error)));
    } else if (recent?.place === place && recent.key === key) setExchanges(recent.exchanges);
    else if (question) run(question, asked, [], keep ? "new" : null);
  }, [place, run, attempt, conversation !== null && key]);
  useEffect(() => () => stop.current.abort(), []);
  const last = exchanges.at(-1);
  useEffect(() => {
    if (conversation === null && last?.answer) recent = { place, key, exchanges };
  }, [exchanges]);
  return {
    exchanges,
    where,
    problem,
    busy: last?.phase === "looking" || last?.phase === "writing",
    further: (next: string) => run(next, where, exchanges, held.current?.id ?? null),
    again: () => {
      if (last) {
        run(last.question, where, exchanges.slice(0, -1), held.current?.id ?? (keep ? "new" : null));
        return;
      }
      held.current = null;
      setAttempt(attempt + 1);
    },
  };
}
