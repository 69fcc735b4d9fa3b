// The start page: examples of questions.

import { Go } from "../shell/link.tsx";
import { useWords } from "../words/index.ts";

export function Start() {
  const words = useWords();
  return (
    <main id="main" tabIndex={-1}>
      <section>
        <h1>{words.examplesTitle}</h1>
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
