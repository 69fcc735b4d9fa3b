// Questions to the documents, their answers, and the cited passages.

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { useWords } from "../words/index.ts";
import { ask, type Exchange, type Scope } from "./answer.ts";
import { ExchangeView } from "./exchangeView.tsx";
import { setTitle } from "../portal.ts";

const SCOPES: readonly Scope[] = ["public", "mine", "both"];

export function AskView({ query }: { query: string }) {
  const words = useWords().answers;
  const asked = new URLSearchParams(query);
  const first = asked.get("q")?.trim() ?? "";
  const scope = SCOPES.find((one) => one === asked.get("scope")) ?? "public";
  const { exchanges, further, busy, again } = useExchanges(first, scope);
  useEffect(() => {
    setTitle(first || words.title);
  }, [first, words]);
  return (
    <main id="main" tabIndex={-1} class="answers">
      <h1>{words.title}</h1>
      {exchanges.length === 0 && <p>{words.help}</p>}
      {exchanges.map((one, index) => (
        <ExchangeView key={index} exchange={one} name={`${index + 1}`} again={again} />
      ))}
      <QuestionForm
        key={exchanges.length}
        scope={scope}
        isFirst={exchanges.length === 0}
        busy={busy}
        ask={(question, where) => (exchanges.length ? further(question) : go(addressOf(question, where)))}
      />
      {exchanges.length > 0 && (
        <p>
          <button type="button" class="plain" onClick={() => go(addressOf("", scope))}>
            {words.anew}
          </button>
        </p>
      )}
    </main>
  );
}

function addressOf(question: string, scope: Scope): string {
  const said = new URLSearchParams({ ...(question ? { q: question } : {}), ...(scope === "public" ? {} : { scope }) });
  return said.size ? `answers?${said}` : "answers";
}

interface FormProps {
  scope: Scope;
  isFirst: boolean;
  busy: boolean;
  ask(question: string, scope: Scope): void;
}

function QuestionForm({ scope, isFirst, busy, ask: asks }: FormProps) {
  const words = useWords().answers;
  const known = useKey() !== null;
  const [text, setText] = useState("");
  const [where, setWhere] = useState(scope);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() && !busy) asks(text.trim(), where);
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
        <label class="scope">
          {words.scope}{" "}
          <select value={where} onChange={(event) => setWhere(event.currentTarget.value as Scope)}>
            {SCOPES.map((one) => (
              <option key={one} value={one}>
                {words.scopes[one]}
              </option>
            ))}
          </select>
        </label>
      )}
    </form>
  );
}

/** The conversation that starts with the question in the address; another address starts another one. */
function useExchanges(first: string, scope: Scope) {
  const [exchanges, setExchanges] = useState<Exchange[]>([]);
  const stop = useRef(new AbortController());
  const run = useCallback(
    (question: string, earlier: readonly Exchange[]) => {
      stop.current.abort();
      stop.current = new AbortController();
      void ask(question, earlier, scope, stop.current.signal, (now) => setExchanges([...earlier, now]));
    },
    [scope],
  );
  useEffect(() => {
    setExchanges([]);
    if (first) run(first, []);
    return () => stop.current.abort();
  }, [first, run]);
  const last = exchanges.at(-1);
  return {
    exchanges,
    busy: last?.phase === "looking" || last?.phase === "writing",
    further: (question: string) => run(question, exchanges),
    again: () => last && run(last.question, exchanges.slice(0, -1)),
  };
}
