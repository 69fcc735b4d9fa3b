// The answer of POST /ask, and an exchange while it arrives.

import { asProblem, isAbort, Problem, sent } from "../api.ts";
import type { AskBody, CitedAnswer, EarlierTurn } from "../openapi.ts";
import type { Described } from "../types.ts";
import type { Words } from "../words/index.ts";
import { eventsOf, type ServerEvent } from "./events.ts";

export type Scope = NonNullable<AskBody["scope"]>;

export interface Passage {
  number: number;
  id: string;
  /** None: the passage is the abstract of `record`. */
  document: string | null;
  record: string | null;
  title: string;
  section: string[];
  pages: [number, number] | null;
  text: string;
  relevance: number;
}

/** A cell of a table with the headings of its row and column. */
export interface Cell {
  text: string;
  caption?: string;
  page?: number;
}

export interface Sentence {
  text: string;
  /** The text is a row of a table, and this its cell that was asked for. */
  cell?: Cell;
  citations: number[];
  supported: boolean;
}

export type Answer = Described<Omit<CitedAnswer, "took_ms">, { sentences: Sentence[]; passages: Passage[]; near_misses?: Passage[] }>;

/** Which documents are asked; a collection replaces the scope. */
export interface Where {
  scope: Scope;
  documents: readonly string[];
  collection: string | null;
}

export interface Exchange {
  question: string;
  phase: "looking" | "writing" | "done" | "failed";
  /** The part of the answer that has arrived. */
  text: string;
  passages: Passage[];
  answer: Answer | null;
  problem: Problem | null;
  /** A kept answer that quotes what the user may not read now. */
  withheld?: boolean;
}

/** A question that was kept with its answer. */
export interface KeptTurn {
  asked: { question: string; scope?: Scope; documents?: string[]; collection?: string };
  answer: Answer | null;
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

/** The exchange of a kept turn. */
export function keptExchange({ asked, answer }: KeptTurn): Exchange {
  const done = { ...begun(asked.question), phase: "done" } as const;
  return answer ? { ...done, answer, text: answer.answer, passages: answer.passages } : { ...done, withheld: true };
}

export function whereOf({ scope = "public", documents = [], collection }: KeptTurn["asked"]): Where {
  return { scope, documents, collection: collection ?? null };
}

/** What is asked, and where; `conversation` keeps it: in that conversation, or in a new one. */
export interface Question {
  question: string;
  where: Where;
  earlier: readonly Exchange[];
  conversation: string | null;
}

/** The body of POST /ask; the service knows the earlier turns of a kept conversation itself. */
export function bodyOf({ question, where, earlier, conversation }: Question): AskBody {
  const { scope, documents, collection } = where;
  const asked = { question, stream: true, documents: [...documents], ...(collection === null ? { scope } : { collection }) };
  return conversation === null ? { ...asked, turns: turnsOf(earlier) } : { ...asked, conversation };
}

/** Sends the question and calls back for each step. After an abort there are no more calls. */
export async function ask(asked: Question, signal: AbortSignal, tell: (exchange: Exchange) => void): Promise<void> {
  let now = begun(asked.question);
  tell(now);
  try {
    for await (const event of streamed("ask", bodyOf(asked), signal)) {
      now = after(now, event);
      tell(now);
    }
    if (now.phase !== "done" && now.phase !== "failed") throw new Problem(0, "");
  } catch (error) {
    if (!isAbort(error)) tell({ ...now, phase: "failed", problem: asProblem(error) });
  }
}

/** `page 3`, `pages 3 to 8`. */
export function pagesText([first, last]: readonly [number, number], words: Words["answers"]): string {
  return first === last ? words.onePage({ first }) : words.pages({ first, last });
}

const MOST_TURNS = 20;

function turnsOf(earlier: readonly Exchange[]): EarlierTurn[] {
  const answered = earlier.filter((one) => one.phase === "done").slice(-MOST_TURNS);
  return answered.map((one) => ({ question: one.question, answer: one.text.slice(0, 20_000) }));
}

/** The events of an answer as they arrive. Throws Problem; an aborted call throws the browser's AbortError. */
export async function* streamed(address: string, body: unknown, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const headers = { Accept: "text/event-stream", "Content-Type": "application/json" };
  const response = await sent(address, { method: "POST", headers, body: JSON.stringify(body), signal });
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
