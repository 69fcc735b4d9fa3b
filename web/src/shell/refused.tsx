// The page of an address that the service refused: the same header and language as everywhere, and what can help.

import { Problem } from "../api.ts";
import { useWords } from "../words/index.ts";
import { Reasons, Remedy } from "./problem.tsx";

interface Said {
  status: number;
  detail?: string;
  parameter?: string;
}

/** What the service says of the address that was loaded; null if it answered it. */
export const refused: Problem | null = read(document.querySelector<HTMLMetaElement>('meta[name="sonde-problem"]')?.content);

export function RefusedView({ problem }: { problem: Problem }) {
  const words = useWords();
  return (
    <main id="main" tabIndex={-1} class="record">
      <h1>{problem.status === 404 ? words.nothingHere : words.failed}</h1>
      <Reasons problem={problem} />
      <Remedy problem={problem} again={() => location.reload()} />
    </main>
  );
}

function read(content: string | undefined): Problem | null {
  if (!content) return null;
  const { status, detail, parameter } = JSON.parse(content) as Said;
  return new Problem(status, detail ?? "", parameter ?? null, detail !== undefined);
}
