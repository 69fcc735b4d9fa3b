// The list of hits as a file on the user's computer.

import { useEffect, useRef, useState } from "preact/hooks";
import { EXPORT_PAGE } from "../address.ts";
import { asProblem, isAbort, type Problem } from "../api.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { exported, FILE_FORMATS, type FileFormat } from "./exporting.ts";
import type { KeepWords } from "./words/index.ts";

interface Props {
  search: URLSearchParams;
  hits: number;
  words: KeepWords;
}

export function ExportPart({ search, hits, words }: Props) {
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState<Problem | null>(null);
  const [running, setRunning] = useState<AbortController | null>(null);
  const last = useRef<FileFormat | null>(null);
  useEffect(() => () => running?.abort(), [running]);

  async function save(format: FileFormat): Promise<void> {
    const stop = new AbortController();
    last.current = format;
    setRunning(stop);
    setProblem(null);
    const fetched = (pages: number) => setSaid(words.exporting({ done: Math.min(hits, pages * EXPORT_PAGE), all: hits }));
    try {
      fetched(0);
      saveFile(await exported(search, format, fetched, stop.signal), `${nameOf(search)}.${format.ending}`);
      setSaid(words.exported({ n: hits }));
    } catch (error) {
      setSaid("");
      if (!isAbort(error)) setProblem(asProblem(error));
    } finally {
      setRunning(null);
    }
  }

  return (
    <section>
      <h2>{words.export}</h2>
      <p class="small soft">{words.exportHelp({ n: hits })}</p>
      <p class="row">
        {FILE_FORMATS.map((format) => (
          <button key={format.name} type="button" disabled={running !== null || hits === 0} aria-label={words.asFile({ format: format.name })} onClick={() => void save(format)}>
            {format.name}
          </button>
        ))}
        {running && (
          <button type="button" class="plain" onClick={() => running.abort()}>
            {words.stop}
          </button>
        )}
      </p>
      <p role="status" class="small">{said}</p>
      {problem && <ProblemNote problem={problem} again={() => last.current && void save(last.current)} />}
    </section>
  );
}

/** A name for the file, from the question. */
function nameOf(search: URLSearchParams): string {
  const words = (search.get("q") ?? "").toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.slice(0, 8).join("-") || "records";
}
