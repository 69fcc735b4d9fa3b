// The search field, with suggestions if the service offers them (a combobox as in WAI-ARIA).

import { useEffect, useRef, useState } from "preact/hooks";
import { changed } from "../address.ts";
import { go, goSearch, recordAddress } from "../route.ts";
import { useWords } from "../words/index.ts";
import { type Suggestion, useSuggestions } from "./suggest.ts";

export function SearchForm({ search }: { search: URLSearchParams }) {
  const words = useWords();
  const asked = search.get("q") ?? "";
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(asked);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const offered = useSuggestions(open ? text : "");
  const shown = open ? offered : [];

  useEffect(() => {
    setText(asked);
    setOpen(false);
  }, [asked]);

  function ask(question: string): void {
    setOpen(false);
    setText(question);
    goSearch(changed(search, "q", question.trim() || null));
  }

  function choose(one: Suggestion): void {
    if (one.id === undefined) ask(one.text);
    else go(recordAddress(one.id));
  }

  function type(value: string): void {
    setText(value);
    setOpen(true);
    setAt(-1);
  }

  function key(event: KeyboardEvent): void {
    if (event.key === "Escape" && open) {
      event.preventDefault();
      setOpen(false);
    } else if (shown.length && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
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
          onInput={(event) => type(event.currentTarget.value)}
          onKeyDown={key}
          onBlur={() => setOpen(false)}
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
        {shown.length ? words.suggestions(shown.length) : ""}
      </span>
    </>
  );
}
