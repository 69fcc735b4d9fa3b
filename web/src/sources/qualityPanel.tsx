// The completeness of a source's metadata: measured on request, because it reads every record.

import { useState } from "preact/hooks";
import { asProblem, sent } from "../api.ts";
import { recordAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import type { Problem } from "../api.ts";
import { useWords } from "../words/index.ts";
import { FindingLine } from "./findingLine.tsx";
import { type Finding, type Quality, sourceCall } from "./harvest.ts";

export function QualityPanel({ id }: { id: string }) {
  const words = useWords().harvest;
  const [wanted, setWanted] = useState(false);
  const { said, problem, loading, again } = useLoaded<Quality>(wanted ? sourceCall(id, "/quality") : null, useKey());
  return (
    <section aria-labelledby="quality">
      <h2 id="quality">{words.qualityTitle}</h2>
      {!wanted && (
        <button type="button" onClick={() => setWanted(true)}>
          {words.measure}
        </button>
      )}
      {wanted && loading && <p role="status">{words.measuring}</p>}
      {problem && <ProblemNote problem={problem} again={again} />}
      {said && <Report id={id} quality={said} />}
    </section>
  );
}

function Report({ id, quality }: { id: string; quality: Quality }) {
  const words = useWords().harvest;
  const [problem, setProblem] = useState<Problem | null>(null);
  const save = async () => {
    try {
      const response = await sent(sourceCall(id, "/quality?f=html"), {});
      saveFile(await response.blob(), `${id}-quality.html`);
    } catch (error) {
      setProblem(asProblem(error));
    }
  };
  return (
    <>
      <p>{quality.records > 0 ? words.completeness({ records: quality.records, percent: Math.round(quality.completeness * 100) }) : words.noRecords}</p>
      {quality.records > 0 && quality.missing.length === 0 && <p>{words.nothingMissing}</p>}
      <Findings title={words.missing} findings={quality.missing} records />
      <Findings title={words.repaired} findings={quality.repaired} records />
      <Findings title={words.couldNotBeRead} findings={quality.refused} records={false} />
      <Findings title={words.brokenLinks} findings={quality.broken_links ?? []} records={false} />
      <p>
        <button type="button" onClick={() => void save()}>
          {words.saveReport}
        </button>
      </p>
      {problem && <ProblemNote problem={problem} again={() => void save()} />}
    </>
  );
}

/** `records`: the examples are ids of records, which have pages. */
function Findings({ title, findings, records }: { title: string; findings: readonly Finding[]; records: boolean }) {
  if (findings.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul class="findings">
        {findings.map((one) => (
          <li key={one.what} class="breaks">
            <strong>{one.count}</strong> <FindingLine what={one.what} />{" "}
            <span class="small">
              {one.examples.slice(0, 3).map((example) => (
                <span key={example} class="example">
                  {records ? <Go to={recordAddress(example)}>{example}</Go> : <code>{example}</code>}{" "}
                </span>
              ))}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
