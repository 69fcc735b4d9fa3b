// One document: its progress or error, and its actions.

import { useState } from "preact/hooks";
import { asProblem, type Problem, sent } from "../api.ts";
import { documentAddress } from "../document/document.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Go } from "../shell/link.tsx";
import { saveFile } from "../shell/save.ts";
import { bytesText } from "../sizes.ts";
import { edgeText } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import type { OwnDocument } from "./documents.ts";

export function DocumentRow({ document: one, changed }: { document: OwnDocument; changed: () => void }) {
  const words = useWords().library;
  const locale = useLocale();
  const [problem, setProblem] = useState<Problem | null>(null);
  const name = one.title || one.name || one.id;
  const attempt = (act: () => Promise<void>) => () => void act().catch((error: unknown) => setProblem(asProblem(error)));
  const fetchFile = attempt(async () => {
    const response = await sent(`library/documents/${one.id}/file`, {});
    saveFile(await response.blob(), one.name ?? one.id);
  });
  const remove = attempt(async () => {
    await sent(`library/documents/${one.id}`, { method: "DELETE" });
    changed();
  });
  const facts = [
    one.title && one.title !== one.name ? one.name : "",
    one.authors?.join(", "),
    one.published?.slice(0, 4),
    words.facts(one.pages, one.passages),
    one.bytes === undefined ? "" : bytesText(one.bytes, locale),
    edgeText(one.created, locale, false),
  ];
  return (
    <li class="document">
      <div>
        <h2>{one.state === "ready" ? <Go to={documentAddress(one.id)}>{name}</Go> : name}</h2>
        <p class="facts">{facts.filter(Boolean).map((fact, index) => <span key={index}>{fact}</span>)}</p>
        {one.progress && <Progress {...one.progress} />}
        {one.state === "failed" && <p class="wrong-field" lang="en">{one.message ?? one.reason}</p>}
        {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
      </div>
      <span class={`badge ${one.state ?? ""}`}>{words.states[one.state ?? ""] ?? one.state}</span>
      <span class="row">
        {one.links?.some((link) => link.rel === "enclosure") && (
          <button type="button" aria-label={words.fileOf(name)} onClick={fetchFile}>
            {words.file}
          </button>
        )}
        <RemoveButton name={name} remove={remove} />
      </span>
    </li>
  );
}

function Progress({ done, total, unit }: { done: number; total: number; unit: "pages" | "passages" }) {
  const said = useWords().library.progress(done, total, unit);
  return (
    <p class="soft small">
      <progress max={total} value={done} aria-label={said} /> {said}
    </p>
  );
}

/** Asks for confirmation before it deletes. */
function RemoveButton({ name, remove }: { name: string; remove: () => void }) {
  const words = useWords().library;
  const [sure, setSure] = useState(false);
  return (
    <button type="button" aria-label={sure ? undefined : words.removeOf(name)} onBlur={() => setSure(false)} onClick={() => (sure ? remove() : setSure(true))}>
      {sure ? words.really : words.remove}
    </button>
  );
}
