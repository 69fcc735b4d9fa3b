// The last runs of a source as a small chart: documents seen and refused.

import { useWords } from "../words/index.ts";
import type { Run } from "./harvest.ts";

const WIDTH = 12;
const HEIGHT = 40;

export function Trend({ runs }: { runs: readonly Run[] }) {
  const words = useWords().harvest;
  const last = runs.at(-1);
  if (!last) return null;
  const most = Math.max(1, ...runs.map((run) => run.counts.seen ?? 0));
  return (
    <svg
      class="trend"
      role="img"
      aria-label={words.trend({ n: runs.length, last: last.counts.seen ?? 0, refused: last.counts.refused ?? 0 })}
      viewBox={`0 0 ${WIDTH * runs.length} ${HEIGHT}`}
      width={WIDTH * runs.length}
      height={HEIGHT}
    >
      {runs.map((run, index) => (
        <Column key={run.id} run={run} at={index * WIDTH} most={most} />
      ))}
    </svg>
  );
}

/** Refused documents are drawn above those that were read; a run that saw nothing is a line. */
function Column({ run, at, most }: { run: Run; at: number; most: number }) {
  const seen = run.counts.seen ?? 0;
  const refused = Math.min(seen, run.counts.refused ?? 0);
  const tall = (seen / most) * HEIGHT;
  const wrong = refused === 0 ? 0 : Math.max(2, (refused / most) * HEIGHT);
  return (
    <g>
      <rect class={`run ${run.state}`} x={at + 1} width={WIDTH - 2} y={HEIGHT - Math.max(1, tall)} height={Math.max(1, tall)} />
      {wrong > 0 && <rect class="run refused" x={at + 1} width={WIDTH - 2} y={HEIGHT - Math.max(1, tall)} height={wrong} />}
    </g>
  );
}
