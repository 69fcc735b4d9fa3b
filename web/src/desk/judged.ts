// Judgements as `sonde judge` writes them: queries.jsonl names the questions, qrels.tsv grades their records.

import type { JudgedPair } from "../openapi.ts";

const MOST_QUESTIONS = 30;
const HIGHEST = 3;

/** Of the first questions that the service would take beside typed ones; null if the files are no such pair. */
export function judgementsOf(files: readonly string[]): JudgedPair[] | null {
  const queries = files.map(questionsIn).find((one) => one.size > 0);
  const lines = files.flatMap((text) => text.split("\n")).map((line) => line.trim().split(/\s+/));
  if (!queries) return null;
  const graded = lines.flatMap((parts) => {
    const [query, record] = [parts[0], parts.length === 4 ? parts[2] : parts[1]]; // TREC has a second column of zeros
    const [question, grade] = [queries.get(query ?? ""), Number(parts.at(-1))];
    return question && record && parts.length >= 3 && parts.length <= 4 && Number.isInteger(grade) ? [{ question, record, grade: Math.min(HIGHEST, Math.max(0, grade)) }] : [];
  });
  const first = new Set([...new Set(graded.map((one) => one.question))].slice(0, MOST_QUESTIONS));
  const kept = graded.filter((one) => first.has(one.question));
  return kept.length > 0 ? kept : null;
}

function questionsIn(text: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split("\n").filter((one) => one.startsWith("{"))) {
    try {
      const said = JSON.parse(line) as { _id?: unknown; text?: unknown };
      if (typeof said._id === "string" && typeof said.text === "string") found.set(said._id, said.text);
    } catch {
      // not a line of queries.jsonl
    }
  }
  return found;
}
