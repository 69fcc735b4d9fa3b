// The answer of POST /ask, and an exchange while it arrives.

import { asProblem, isAbort, Problem, sent } from "../api.ts";
import { eventsOf, type ServerEvent } from "./events.ts";

export type Scope = "public" | "mine" | "both";

export interface Passage {
  number: number;
  id: string;
  document: string;
  record: string | null;
  title: string;
  section: string[];
  pages: [number, number] | null;
  text: string;
  relevance: number;
}

export interface Sentence {
  text: string;
  citations: number[];
  supported: boolean;
}

export interface Answer {
  answer: string;
  mode: "model" | "extractive" | "refusal";
  refused: boolean;
  language: string | null;
  sentences: Sentence[];
  passages: Passage[];
  degraded: string[];
}

export interface Exchange {
  question: string;
  phase: "looking" | "writing" | "done" | "failed";
  /** The part of the answer that has arrived. */
  text: string;
  passages: Passage[];
  answer: Answer | null;
  problem: Problem | null;
}

export function begun(question: string): Exchange {
  return { question, phase: "looking", text: "", passages: [], answer: null, problem: null };
}

/** The exchange after one event of the stream. */
export function after(exchange: Exchange, event: ServerEvent): Exchange {
  const said = JSON.parse(event.data) as Partial<Answer> & { text?: string; detail?: string };
  if (event.name === "passages") return { ...exchange, phase: "writing", passages: said.passages ?? [] };
  if (event.name === "text") return { ...exchange, phase: "writing", text: exchange.text + (said.text ?? "") };
  if (event.name === "error") return { ...exchange, phase: "failed", problem: new Problem(503, said.detail ?? "") };
  const answer = said as Answer;
  return { ...exchange, phase: "done", answer, text: answer.answer, passages: answer.passages };
}

/** Sends the question and calls back for each step. After an abort there are no more calls. */
export async function ask(
  question: string,
  earlier: readonly Exchange[],
  scope: Scope,
  signal: AbortSignal,
  tell: (exchange: Exchange) => void,
): Promise<void> {
  let now = begun(question);
  tell(now);
  try {
    for await (const event of streamed({ question, turns: turnsOf(earlier), scope, stream: true }, signal)) {
      now = after(now, event);
      tell(now);
    }
    if (now.phase !== "done" && now.phase !== "failed") throw new Problem(0, "");
  } catch (error) {
    if (!isAbort(error)) tell({ ...now, phase: "failed", problem: asProblem(error) });
  }
}

const MOST_TURNS = 20;

function turnsOf(earlier: readonly Exchange[]): { question: string; answer: string }[] {
  const answered = earlier.filter((one) => one.phase === "done").slice(-MOST_TURNS);
  return answered.map((one) => ({ question: one.question, answer: one.text.slice(0, 20_000) }));
}

async function* streamed(body: unknown, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const headers = { Accept: "text/event-stream", "Content-Type": "application/json" };
  const response = await sent("ask", { method: "POST", headers, body: JSON.stringify(body), signal });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let left = "";
  for (;;) {
    const piece = await reader?.read();
    if (!piece || piece.done) break;
    const { events, rest } = eventsOf(left + piece.value);
    left = rest;
    yield* events;
  }
}
