// Explains an error, and offers what may help: a key, another try, or a new search.

import type { Problem } from "../api.ts";
import { useKey } from "../session.ts";
import { useWords, type Words } from "../words/index.ts";
import { SignIn } from "./signIn.tsx";
import { Go } from "./link.tsx";

const PASSING = [408, 425, 429]; // the same request may succeed later

export function ProblemNote({ problem, again }: { problem: Problem; again: () => void }) {
  const words = useWords();
  const key = useKey();
  return (
    <section class="note wrong" role="alert">
      <h2>{isRefused(problem) && key === null ? words.key.needed : words.failed}</h2>
      <Reasons problem={problem} />
      <Remedy problem={problem} again={again} />
    </section>
  );
}

/** A key if one is missing, another try if that can help, else a new search. */
export function Remedy({ problem, again }: { problem: Problem; again: () => void }) {
  const words = useWords();
  if (isRefused(problem)) return <SignIn done={again} />;
  return mayPass(problem) ? (
    <button type="button" onClick={again}>
      {words.again}
    </button>
  ) : (
    <p>
      <Go to="./">{words.newSearch}</Go>
    </p>
  );
}

/** What was wrong, in the page's language where it knows the status, and the service's own sentence. */
export function Reasons({ problem }: { problem: Problem }) {
  const words = useWords();
  const known = knownText(problem.status, words);
  return (
    <>
      {problem.parameter && <p>{words.refused({ parameter: problem.parameter })}</p>}
      {problem.parameter && problem.explained && <Explanation problem={problem} />}
      {known && <p>{known}</p>}
      {!problem.parameter && problem.explained && <Explanation problem={problem} />}
    </>
  );
}

/** One sentence for a list: the service's own, else the page's. */
export function sentenceOf(problem: Problem, words: Words): string {
  return problem.explained ? problem.message : (knownText(problem.status, words) ?? words.failed);
}

/** The service's own sentence: the reason of a refusal, or for operators where a part of the service is down. */
function Explanation({ problem }: { problem: Problem }) {
  const words = useWords();
  const sentence = <p class="said" lang="en">{problem.message}</p>;
  if (problem.status < 500) return sentence;
  return (
    <details>
      <summary>{words.forOperators}</summary>
      {sentence}
    </details>
  );
}

function knownText(status: number, words: Words): string | null {
  if (status === 0) return navigator.onLine ? words.unreachable : words.offline;
  if (status === 400 || status === 422) return words.badRequest;
  if (status === 403) return words.forbidden;
  if (status === 413) return words.tooLarge;
  if (status === 404) return words.notThere;
  if (status === 429) return words.tooMany;
  return status >= 500 ? words.unavailable : null;
}

function isRefused(problem: Problem): boolean {
  return problem.status === 401 || problem.status === 403;
}

function mayPass(problem: Problem): boolean {
  return problem.status === 0 || problem.status >= 500 || PASSING.includes(problem.status);
}
