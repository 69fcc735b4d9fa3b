// A form in which the owner of a document corrects its metadata.

import { useState } from "preact/hooks";
import { asProblem, type Problem, sent } from "../api.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { useWords } from "../words/index.ts";
import type { DocumentFeature } from "./document.ts";

const DOI = "DOI";

export function EditPanel({ found, changed }: { found: DocumentFeature; changed: () => void }) {
  const words = useWords().document;
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  if (!open) {
    return (
      <p>
        <button type="button" onClick={() => setOpen(true)}>
          {words.edit}
        </button>
      </p>
    );
  }
  const { properties } = found;
  const save = async (form: HTMLFormElement) => {
    const said = new FormData(form);
    const text = (name: string) => String(said.get(name) ?? "").trim();
    const authors = text("authors").split("\n").map((line) => line.trim()).filter(Boolean);
    const change = { title: text("title"), authors, journal: text("journal") || null, doi: text("doi") || null, published: text("published") || null };
    const headers = { "Content-Type": "application/json" };
    await sent(`library/documents/${found.id}`, { method: "PATCH", headers, body: JSON.stringify(change) });
    setOpen(false);
    changed();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (event.currentTarget instanceof HTMLFormElement) save(event.currentTarget).catch((error: unknown) => setProblem(asProblem(error)));
  };
  return (
    <form class="edit" onSubmit={submit}>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
      <label>
        <span>{words.title}</span>
        <input name="title" required maxLength={1000} defaultValue={properties.title ?? ""} />
      </label>
      <label>
        <span>{words.authorLines}</span>
        <textarea name="authors" rows={3} defaultValue={(properties.contacts ?? []).map((one) => one.name).join("\n")} />
      </label>
      <label>
        <span>{words.journal}</span>
        <input name="journal" maxLength={200} defaultValue={properties["sonde:journal"] ?? ""} />
      </label>
      <label>
        <span>{words.publishedOn}</span>
        <input name="published" pattern="\d{4}(-\d{2}(-\d{2})?)?" defaultValue={properties.created ?? ""} />
      </label>
      <label>
        <span>{DOI}</span>
        <input name="doi" maxLength={300} defaultValue={properties.externalIds?.[0]?.value ?? ""} />
      </label>
      <p class="row">
        <button type="submit">{words.save}</button>
        <button type="button" onClick={() => setOpen(false)}>
          {words.cancel}
        </button>
      </p>
    </form>
  );
}
