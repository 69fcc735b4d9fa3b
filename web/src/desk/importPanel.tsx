// Many rules from a file: how many were taken, and which lines were refused and why.

import { Outcome, useSending } from "../shell/sending.tsx";
import { useState } from "preact/hooks";
import { importFile, type Kind, type Taken } from "./rules.ts";
import { useDesk } from "./words/index.ts";

interface Props {
  kind: Kind;
  draft: string | null;
  done: () => void;
}

export function ImportPanel({ kind, draft, done }: Props) {
  const words = useDesk();
  const sending = useSending();
  const [taken, setTaken] = useState<Taken | null>(null);
  const give = (input: HTMLInputElement) => {
    const file = input.files?.[0];
    if (!file) return;
    setTaken(null);
    sending.send(async () => {
      const answer = await importFile(kind, draft, file);
      setTaken(answer);
      done();
      return [words.taken({ n: answer.accepted.length }), answer.later.length > 0 ? words.later : ""].join(" ").trim();
    });
    input.value = "";
  };
  return (
    <section class="panel" aria-labelledby="import">
      <h3 id="import">{words.file}</h3>
      <p id="import-help" class="soft small">
        {words.fileHelp[kind]}
      </p>
      <div class="field">
        <input type="file" aria-labelledby="import" aria-describedby="import-help" accept=".csv,.json,.geojson" disabled={sending.busy} onChange={(event) => give(event.currentTarget)} />
      </div>
      <Outcome of={sending} />
      {taken && taken.refused.length > 0 && (
        <div class="note wrong">
          <p>{words.refusedLines({ n: taken.refused.length })}</p>
          <ul class="refused-lines">
            {taken.refused.map((one) => (
              <li key={one.line} class="breaks">
                <strong>{words.line({ n: one.line })}</strong> <span lang="en">{one.problem}</span>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
