// One question with its answer: each sentence links to its cited passages.

import { documentAddress, passageNumber } from "../document/document.ts";
import { recordAddress } from "../route.ts";
import { Go } from "../shell/link.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { useWords, type Words } from "../words/index.ts";
import { type Answer, type Exchange, type Passage, pagesText, type Sentence } from "./answer.ts";

interface Props {
  exchange: Exchange;
  /** Makes the passage ids of each exchange unique. */
  name: string;
  again: () => void;
}

export function ExchangeView({ exchange, name, again }: Props) {
  const words = useWords().answers;
  const { answer, passages, phase, problem } = exchange;
  return (
    <section class="exchange" aria-busy={phase === "looking" || phase === "writing"}>
      <h2>{exchange.question}</h2>
      <p role="status" class="state">
        {phase === "looking" ? words.looking : phase === "writing" ? words.writing : <span class="unseen">{words.done}</span>}
      </p>
      {problem && <ProblemNote problem={problem} again={again} />}
      {answer ? <Whole answer={answer} name={name} question={exchange.question} /> : exchange.text && <p class="answer">{exchange.text}</p>}
      {exchange.withheld && <p class="note">{words.withheld}</p>}
      {passages.length > 0 && !answer?.refused && <Passages title={words.passages({ n: passages.length })} passages={passages} sentences={answer?.sentences ?? []} name={name} />}
      {answer?.refused && answer.near_misses && answer.near_misses.length > 0 && <Passages title={words.nearest} passages={answer.near_misses} sentences={[]} name={name} />}
    </section>
  );
}

function Whole({ answer, name, question }: { answer: Answer; name: string; question: string }) {
  const words = useWords();
  const without = answer.degraded.map((one) => words.degradedNames[one] ?? one).join(", ");
  return (
    <>
      {without && <p class={answer.degraded.join() === "cross_encoder" ? "soft small" : "note degraded"}>{words.answers.degraded({ names: without })}</p>}
      {answer.refused ? (
        <div class="note">
          <p>
            <strong>{words.answers.refused}</strong>
          </p>
          <p>
            {words.answers.refusedHelp} <Go to={`./?${new URLSearchParams({ q: question })}`}>{words.answers.searchIt}</Go>
          </p>
        </div>
      ) : (
        <div class="answer" lang={answer.language ?? undefined}>
          {answer.sentences.map((one, index) => (
            <Said key={index} sentence={one} name={name} quoted={answer.mode === "extractive"} />
          ))}
        </div>
      )}
      {answer.mode === "extractive" && <p class="soft small">{words.answers.extractive}</p>}
    </>
  );
}

function Said({ sentence, name, quoted }: { sentence: Sentence; name: string; quoted: boolean }) {
  const words = useWords().answers;
  const { cell } = sentence;
  const text = cell ? cell.text : bare(sentence.text); // the numbers follow as buttons
  const table = cell && [cell.caption, cell.page && words.onePage({ first: cell.page })].filter(Boolean).join(", ");
  const Element = quoted ? "blockquote" : "span";
  return (
    <Element class={sentence.supported ? "said-sentence" : "said-sentence unsupported"}>
      {text}
      {table && <span class="soft small"> ({table})</span>}
      {sentence.citations.map((number) => (
        <button key={number} type="button" class="cite" aria-label={words.cites({ n: number })} onClick={() => show(`passage-${name}-${number}`)}>
          {number}
        </button>
      ))}
      {!sentence.supported && <span class="soft small"> ({words.unsupported})</span>}{" "}
    </Element>
  );
}

/** Opens a passage, scrolls to it and moves the focus, for keyboard users. */
function show(id: string): void {
  const found = document.getElementById(id);
  if (!(found instanceof HTMLDetailsElement)) return;
  found.open = true;
  found.querySelector("summary")?.focus({ preventScroll: true });
  found.scrollIntoView({ block: "nearest" });
}

interface PassagesProps {
  title: string;
  passages: readonly Passage[];
  sentences: readonly Sentence[];
  name: string;
}

function Passages({ title, passages, sentences, name }: PassagesProps) {
  const { answers: words, document } = useWords();
  return (
    <section class="passages" aria-label={title}>
      <h3>{title}</h3>
      {passages.map((one) => (
        <details key={one.number} id={`passage-${name}-${one.number}`}>
          <summary>
            <span class="number">{one.number}</span> {one.title || one.document || one.record}{" "}
            <span class="soft small">{placeOf(one, words)}</span>
          </summary>
          <blockquote>{one.text}</blockquote>
          <p class="soft small">
            {words.relevance({ percent: Math.round(one.relevance * 100) })}
            {one.document && (
              <>
                {" · "}
                <Go to={documentAddress(one.document, { passage: passageNumber(one.id), quote: quoteOf(sentences, one), from: `answers${location.search}` })}>{document.open}</Go>
              </>
            )}
            {one.record && (
              <>
                {" · "}
                <Go to={recordAddress(one.record)}>{words.toRecord}</Go>
              </>
            )}
          </p>
        </details>
      ))}
    </section>
  );
}

/** The first sentence of the answer that cites this passage, without its citation numbers. */
export function quoteOf(sentences: readonly Sentence[], passage: Passage): string {
  const citing = sentences.find((one) => one.citations.includes(passage.number));
  return citing ? bare(citing.text).slice(0, LONGEST_QUOTE) : "";
}

const LONGEST_QUOTE = 1500;

/** Without citation numbers. */
export function bare(text: string): string {
  return text.replace(/\s*\[\d+(?:,\s*\d+)*\]/g, "");
}

function placeOf(passage: Passage, words: Words["answers"]): string {
  const where = passage.pages ? pagesText(passage.pages, words) : "";
  return [passage.section.join(" › "), where].filter(Boolean).join(" · ");
}
