// What went wrong, in words that help, with the way to try again.

import type { Problem } from "../api.ts";
import { useWords } from "../words/index.ts";

export function ProblemNote({ problem, again }: { problem: Problem; again: () => void }) {
  const words = useWords();
  return (
    <section class="note wrong" role="alert">
      <h2>{words.failed}</h2>
      {problem.parameter && <p>{words.refused(problem.parameter)}</p>}
      {problem.status === 0 && <p>{words.unreachable}</p>}
      {problem.status === 503 && <p>{words.unavailable}</p>}
      <p class="said">{problem.message}</p>
      <button type="button" onClick={again}>
        {words.again}
      </button>
    </section>
  );
}
