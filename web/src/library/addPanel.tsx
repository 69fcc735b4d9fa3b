// Adds files (chosen or dropped) and references (pasted), and shows the progress of each.

import { useState } from "preact/hooks";
import { asProblem, type Problem, sendJson } from "../api.ts";
import type { LibraryImported, ProblemBody } from "../openapi.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { sentenceOf } from "../shell/problem.tsx";
import { useWords } from "../words/index.ts";
import { upload } from "./upload.ts";

interface Sending {
  name: string;
  share: number;
  problem: Problem | null;
}

export function AddPanel({ brought }: { brought: () => void }) {
  const words = useWords();
  const [sending, setSending] = useState<Sending[]>([]);
  const [over, setOver] = useState(false);

  async function bring(files: File[]): Promise<void> {
    const first = sending.length;
    setSending((all) => [...all, ...files.map((file) => ({ name: file.name, share: 0, problem: null }))]);
    for (const [index, file] of files.entries()) {
      const change = (values: Partial<Sending>) =>
        setSending((all) => all.map((one, at) => (at === first + index ? { ...one, ...values } : one)));
      try {
        await upload(file, (share) => change({ share }));
        change({ share: 1 });
        brought();
      } catch (error) {
        change({ problem: asProblem(error) });
      }
    }
  }

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void bring([...(event.dataTransfer?.files ?? [])]);
  };
  return (
    <section class="panel" aria-label={words.library.add}>
      <label
        class={over ? "drop over" : "drop"}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <span>{words.library.drop}</span>
        <input
          type="file"
          multiple
          onChange={(event) => {
            const field = event.currentTarget;
            void bring([...(field.files ?? [])]);
            field.value = "";
          }}
        />
      </label>
      <div role="status">
        <ul class="sending">
          {sending.map((one, index) => (
            <SendingRow key={index} sending={one} />
          ))}
        </ul>
      </div>
      {sending.length > 0 && sending.every((one) => one.share === 1 || one.problem) && (
        <button type="button" class="plain" onClick={() => setSending([])}>
          {words.library.clear}
        </button>
      )}
      <References brought={brought} />
    </section>
  );
}

function SendingRow({ sending }: { sending: Sending }) {
  const words = useWords();
  const percent = Math.floor(sending.share * 100);
  if (sending.problem) {
    const why = sentenceOf(sending.problem, words);
    return <li class="wrong-field">{words.library.notSent({ name: sending.name, why })}</li>;
  }
  if (sending.share === 1) return <li>{words.library.sent({ name: sending.name })}</li>;
  const said = words.library.sending({ name: sending.name, percent });
  return (
    <li>
      {said} <progress max={100} value={percent} aria-label={said} />
    </li>
  );
}

function References({ brought }: { brought: () => void }) {
  const words = useWords().library;
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [left, setLeft] = useState<ProblemBody[]>([]);
  const add = async () => {
    try {
      const answer = await sendJson<LibraryImported>("POST", "library/references", { references: text });
      setProblem(null);
      setLeft(answer.problems ?? []);
      setText("");
      brought();
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim()) void add();
  };
  return (
    <details>
      <summary>{words.references}</summary>
      <form onSubmit={submit}>
        <label>
          <span class="soft small">{words.referencesHelp}</span>
          <textarea rows={5} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="submit">{words.import}</button>
      </form>
      {problem && <ProblemNote problem={problem} again={() => void add()} />}
      <div role="status">
        {left.length > 0 && (
          <ul class="sending">
            {left.map((one, index) => (
              <li key={index} class="wrong-field">
                {one.line === undefined ? words.notRead : words.notReadLine({ line: one.line })} <span lang="en">{one.message}</span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </details>
  );
}
