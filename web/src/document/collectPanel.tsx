// A document, public or the user's own, goes into a collection of the user's.

import type { FunctionComponent } from "preact";
import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { useWords } from "../words/index.ts";

export function CollectPanel({ id }: { id: string }) {
  const words = useWords().document;
  const [part, setPart] = useState<{ Put: FunctionComponent<{ id: string }> } | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const open = () => {
    import("../library/putPart.tsx").then(({ PutPart }) => setPart({ Put: PutPart })).catch((error: unknown) => setProblem(asProblem(error)));
  };
  if (problem) return <ProblemNote problem={problem} again={() => setProblem(null)} />;
  if (part) return <part.Put id={id} />;
  return (
    <p>
      <button type="button" onClick={open}>
        {words.intoCollection}
      </button>
    </p>
  );
}
