// The search field, with suggestions if the service offers them (a combobox as in WAI-ARIA).

import { useEffect, useRef, useState } from "preact/hooks";
import { changed } from "../address.ts";
import { go, goSearch, recordAddress } from "../route.ts";
import { useWords } from "../words/index.ts";
import { type Suggestion, useSuggestions } from "./suggest.ts";
import { isTyped, LEAST_CHARACTERS, PAUSE_MS, searchesWhileTyping, setTyped, settle } from "./typing.ts";

interface Props {
  search: URLSearchParams;
  /** Enter on the question that was searched while it was typed. */
  onAsked: () => void;
  /** There are hits below: titles among the suggestions would only hide them. */
  hits: boolean;
}

export function SearchForm({ search, onAsked, hits }: Props) {
  const words = useWords();
  const asked = search.get("q") ?? "";
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(asked);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const offered = useSuggestions(open ? text : "");
  const shown = open ? offered.filter((one) => !hits || one.kind !== "title") : [];

  const pausing = useRef(0);
  const sent = useRef<string | null>(null); // what this field put into the address: the user may have typed on since

  useEffect(() => {
    if (sent.current === asked) return;
    sent.current = null;
    setText(asked);
    setOpen(false);
  }, [asked]);
  useEffect(() => () => clearTimeout(pausing.current), []);

  function ask(question: string): void {
    clearTimeout(pausing.current);
    setOpen(false);
    setText(question);
    const next = changed(search, "q", question.trim() || null);
    const typed = isTyped(search);
    if (next.toString() === search.toString()) {
      if (typed) onAsked();
      return;
    }
    setTyped(null);
    goSearch(next, typed);
  }

  /** The first typed search is a new entry of the browser's history; those that follow replace it. */
  function askWhileTyping(question: string): void {
    if (question.length < LEAST_CHARACTERS || question === asked) return;
    const next = changed(search, "q", question);
    const replace = isTyped(search);
    sent.current = question;
    setTyped(next);
    goSearch(next, replace);
  }

  function choose(one: Suggestion): void {
    if (one.id === undefined) ask(one.text);
    else go(recordAddress(one.id));
  }

  function type(value: string, composing: boolean): void {
    setText(value);
    setOpen(true);
    setAt(-1);
    clearTimeout(pausing.current);
    if (!composing && searchesWhileTyping()) pausing.current = setTimeout(() => askWhileTyping(value.trim()), PAUSE_MS) as unknown as number;
  }

  function key(event: KeyboardEvent): void {
    if (event.key === "Escape" && open) {
      event.preventDefault();
      setOpen(false);
    } else if (shown.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      clearTimeout(pausing.current); // the user chooses now
      const step = event.key === "ArrowDown" ? 1 : -1;
      setAt((now) => ((now + 1 + step + shown.length + 1) % (shown.length + 1)) - 1);
    }
  }

  function submit(event: Event): void {
    event.preventDefault();
    const chosen = shown[at];
    if (chosen) choose(chosen);
    else ask(text);
  }

  return (
    <form class="ask" role="search" onSubmit={submit}>
      <label for="q">{words.ask}</label>
      <div class="ask-row">
        <input
          ref={field}
          id="q"
          type="search"
          value={text}
          maxLength={2000}
          placeholder={words.placeholder}
          autocomplete="off"
          role="combobox"
          aria-expanded={shown.length > 0}
          aria-controls="suggestions"
          aria-autocomplete="list"
          aria-activedescendant={at >= 0 ? `suggestion-${at}` : undefined}
          onInput={(event) => type(event.currentTarget.value, event.isComposing)}
          onCompositionEnd={(event) => type(event.currentTarget.value, false)}
          onKeyDown={key}
          onBlur={() => {
            setOpen(false);
            settle();
          }}
        />
        <button type="submit" class="main-button">
          {words.search}
        </button>
        <Offered shown={shown} at={at} choose={choose} />
      </div>
    </form>
  );
}

function Offered({ shown, at, choose }: { shown: readonly Suggestion[]; at: number; choose: (one: Suggestion) => void }) {
  const words = useWords();
  return (
    <>
      <ul id="suggestions" class="suggestions" role="listbox" aria-label={words.search} hidden={shown.length === 0}>
        {shown.map((one, index) => (
          <li
            key={`${one.kind} ${one.id ?? one.text}`}
            id={`suggestion-${index}`}
            role="option"
            aria-selected={index === at}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(one)}
          >
            {one.text} <span class="kind">{words.suggestionKinds[one.kind] ?? one.kind}</span>
          </li>
        ))}
      </ul>
      <span class="unseen" role="status">
        {shown.length ? words.suggestions({ n: shown.length }) : ""}
      </span>
    </>
  );
}
