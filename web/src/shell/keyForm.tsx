// The form for a key or token, which stays in this tab.

import { useState } from "preact/hooks";
import { setKey } from "../session.ts";
import { useWords } from "../words/index.ts";

/** `done` is called after the user entered a key. */
export function KeyForm({ done }: { done?: () => void }) {
  const words = useWords();
  const [text, setText] = useState("");
  const give = (event: Event) => {
    event.preventDefault();
    if (!text.trim()) return;
    setKey(text.trim());
    done?.();
  };
  return (
    <form class="key-form" onSubmit={give}>
      <label>
        <span>{words.key.label}</span>
        <input type="password" autocomplete="off" spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <button type="submit">{words.key.use}</button>
      <p class="soft small">{words.key.help}</p>
    </form>
  );
}
