// Before anything is asked: what can be asked.

import type { ComponentChildren } from "preact";
import { Go } from "../shell/link.tsx";
import { useWords } from "../words/index.ts";

export function Start({ form }: { form: ComponentChildren }) {
  const words = useWords();
  return (
    <main id="main" tabIndex={-1} class="start">
      {form}
      <section>
        <h2>{words.examplesTitle}</h2>
        <p>{words.examplesText}</p>
        <ul class="examples">
          {words.examples.map((question) => (
            <li key={question}>
              <Go to={`./?${new URLSearchParams({ q: question })}`}>{question}</Go>
            </li>
          ))}
        </ul>
      </section>
    </main>
  );
}
