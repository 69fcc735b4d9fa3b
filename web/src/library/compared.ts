// A comparison: the same questions to several documents. POST /ask/compare sends a row for each document.

import { asProblem, isAbort, Problem } from "../api.ts";
import { type Answer, type Passage, type Sentence, streamed } from "../ask/answer.ts";
import { bare, quoteOf } from "../ask/exchangeView.tsx";
import { documentAddress, passageNumber } from "../document/document.ts";
import { recordAddress } from "../route.ts";

export interface Row {
  document: string;
  title: string;
  address: string;
  /** One for each question, in their order; passages are those that the answer cites. */
  answers: Answer[];
}

export interface Comparison {
  questions: readonly string[];
  rows: Row[];
  state: "running" | "done" | "stopped";
  /** Documents of the collection beyond the first twenty. */
  leftOut: number;
  problem: Problem | null;
}

export interface Compared {
  questions: readonly string[];
  documents?: readonly string[];
  collection?: string;
}

/** Calls back after each row. After an abort there are no more calls. */
export async function compare(asked: Compared, signal: AbortSignal, tell: (comparison: Comparison) => void): Promise<void> {
  let now: Comparison = { questions: asked.questions, rows: [], state: "running", leftOut: 0, problem: null };
  tell(now);
  try {
    for await (const { name, data } of streamed("ask/compare", { ...asked, stream: true }, signal)) {
      const said = JSON.parse(data) as Row & { left_out?: number; detail?: string };
      if (name === "row") now = { ...now, rows: [...now.rows, said] };
      else if (name === "end") now = { ...now, state: "done", leftOut: said.left_out ?? 0 };
      else now = { ...now, state: "stopped", problem: new Problem(503, said.detail ?? "") };
      tell(now);
    }
    if (now.state === "running") throw new Problem(0, "");
  } catch (error) {
    if (!isAbort(error)) tell({ ...now, state: "stopped", problem: asProblem(error) });
  }
}

/** The questions of a text: one a line, each once, five at most. */
export function questionsOf(text: string): string[] {
  return [...new Set(text.split("\n").map((line) => line.trim()).filter(Boolean))].slice(0, 5);
}

export interface Citation {
  passage: Passage;
  to: string;
}

/** The passages that a sentence cites, each with the address where it is marked. */
export function citationsOf(sentence: Sentence, answer: Answer): Citation[] {
  const cited = answer.passages.filter((one) => sentence.citations.includes(one.number));
  return cited.map((passage) => ({
    passage,
    to: passage.document
      ? documentAddress(passage.document, { passage: passageNumber(passage.id), quote: quoteOf([sentence], passage) })
      : recordAddress(passage.record ?? ""),
  }));
}

/** As `f=csv` of POST /ask/compare: each question has its answer and the pages that it cites. */
export function csvOf({ questions, rows }: Comparison, heads: { document: string; address: string; pages: string }): string {
  const head = [heads.document, heads.address, ...questions.flatMap((one) => [one, heads.pages])];
  const lines = rows.map((row) => [row.title, row.address, ...row.answers.flatMap((one) => [saidOf(one), pagesOf(one)])]);
  return `${[head, ...lines].map((line) => line.map(quoted).join(",")).join("\r\n")}\r\n`;
}

function saidOf(answer: Answer): string {
  return answer.refused ? "" : answer.sentences.map((one) => bare(one.text)).join(" ");
}

function pagesOf(answer: Answer): string {
  return [...new Set(answer.passages.flatMap((one) => one.pages ?? []))].sort((one, other) => one - other).join("; ");
}

/** A spreadsheet would run a cell that begins like a formula. */
function quoted(cell: string): string {
  const harmless = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
