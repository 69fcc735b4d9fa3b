// The passages of a document in its order, loaded when the reader opens them.

import { useState } from "preact/hooks";
import { asProblem, getJson, type Problem } from "../api.ts";
import { pagesText } from "../ask/answer.ts";
import { ProblemNote } from "../shell/problem.tsx";
import type { Link } from "../types.ts";
import { useWords } from "../words/index.ts";
import type { DocumentPassage } from "./document.ts";

interface Loaded {
  passages: DocumentPassage[];
  next: number | null;
}

const MANY = 20;

export function PassagesPanel({ id }: { id: string }) {
  const words = useWords();
  const [loaded, setLoaded] = useState<Loaded>({ passages: [], next: 0 });
  const [problem, setProblem] = useState<Problem | null>(null);
  const more = () => {
    const query = new URLSearchParams({ offset: String(loaded.next ?? 0), limit: String(MANY) });
    getJson<{ passages: DocumentPassage[]; links: Link[] }>(`documents/${id}/passages?${query}`)
      .then((got) => {
        const last = got.passages.at(-1);
        const goesOn = last && got.links.some((one) => one.rel === "next");
        setLoaded({ passages: [...loaded.passages, ...got.passages], next: goesOn ? last.number + 1 : null });
      })
      .catch((error: unknown) => setProblem(asProblem(error)));
  };
  const open = (event: Event) => {
    const { currentTarget } = event;
    if (currentTarget instanceof HTMLDetailsElement && currentTarget.open && loaded.passages.length === 0) more();
  };
  return (
    <details onToggle={open}>
      <summary>{words.document.passages}</summary>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
      {loaded.passages.map((one) => (
        <section key={one.number} class="passage">
          <p class="soft small">
            {[one.section.join(" › "), one.pages ? pagesText(one.pages, words.answers) : ""].filter(Boolean).join(" · ")}
          </p>
          <p>{one.text}</p>
        </section>
      ))}
      {loaded.next !== null && loaded.passages.length > 0 && (
        <button type="button" onClick={more}>
          {words.library.more}
        </button>
      )}
    </details>
  );
}
