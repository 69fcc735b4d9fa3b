// The document as an entry for reference managers.

import { useState } from "preact/hooks";
import { asProblem, type Problem, sent } from "../api.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { useWords } from "../words/index.ts";

export const FORMATS = [
  { name: "BibTeX", form: "bibtex", ending: "bib" },
  { name: "RIS", form: "ris", ending: "ris" },
  { name: "CSL-JSON", form: "csl", ending: "json" },
] as const;

export function BibliographyPanel({ id }: { id: string }) {
  const words = useWords();
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = async (form: string, ending: string) => {
    const response = await sent(`documents/${id}?f=${form}`, {});
    saveFile(await response.blob(), `${id.slice(0, 8)}.${ending}`);
  };
  return (
    <section aria-label={words.document.cite}>
      {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
      <p class="row">
        {FORMATS.map((one) => (
          <button key={one.form} type="button" aria-label={words.download({ format: one.name })} onClick={() => void save(one.form, one.ending).catch((error: unknown) => setProblem(asProblem(error)))}>
            {one.name}
          </button>
        ))}
      </p>
    </section>
  );
}
