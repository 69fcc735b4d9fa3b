// Explains an error, with a button to try again.

import type { Problem } from "../api.ts";
import { useKey } from "../session.ts";
import { useWords } from "../words/index.ts";
import { KeyForm } from "./keyForm.tsx";

export function ProblemNote({ problem, again }: { problem: Problem; again: () => void }) {
  const words = useWords();
  const key = useKey();
  const who = problem.status === 401 || problem.status === 403;
  return (
    <section class="note wrong" role="alert">
      <h2>{who && key === null ? words.key.needed : words.failed}</h2>
      {problem.parameter && <p>{words.refused(problem.parameter)}</p>}
      {problem.status === 0 && <p>{words.unreachable}</p>}
      {problem.status === 503 && <p>{words.unavailable}</p>}
      <p class="said" lang="en">{problem.message}</p>
      {who ? (
        <KeyForm done={again} />
      ) : (
        <button type="button" onClick={again}>
          {words.again}
        </button>
      )}
    </section>
  );
}
