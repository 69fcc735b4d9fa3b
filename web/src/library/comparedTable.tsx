// The table of a comparison: a row for each document, a cited answer in each cell.

import type { Answer } from "../ask/answer.ts";
import { bare } from "../ask/exchangeView.tsx";
import { documentAddress } from "../document/document.ts";
import { Go } from "../shell/link.tsx";
import { useOwn } from "./words/index.ts";
import { type Citation, citationsOf, type Comparison } from "./compared.ts";

/** Roles are named because a narrow screen shows rows below each other, and then browsers forget them. */
export function ComparedTable({ of: { questions, rows } }: { of: Comparison }) {
  const words = useOwn();
  return (
    <div class="compared" role="region" aria-label={words.table} tabIndex={0}>
      <table role="table" aria-label={words.table}>
        <thead role="rowgroup">
          <tr role="row">
            <th role="columnheader" scope="col">
              {words.document}
            </th>
            {questions.map((one) => (
              <th key={one} role="columnheader" scope="col">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={row.document} role="row">
              <th role="rowheader" scope="row">
                <Go to={documentAddress(row.document)}>{row.title}</Go>
              </th>
              {row.answers.map((answer, index) => (
                <td key={index} role="cell" data-question={questions[index]}>
                  <Cell answer={answer} title={row.title} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ answer, title }: { answer: Answer; title: string }) {
  const words = useOwn();
  if (answer.refused) return <span class="soft">{words.noAnswer}</span>;
  return (
    <div lang={answer.language ?? undefined}>
      {answer.sentences.map((sentence, index) => (
        <p key={index} class={sentence.supported ? undefined : "unsupported"}>
          {bare(sentence.text)}{" "}
          {citationsOf(sentence, answer).map((one) => (
            <Cited key={one.passage.id} citation={one} title={title} />
          ))}
        </p>
      ))}
    </div>
  );
}

function Cited({ citation: { passage, to }, title }: { citation: Citation; title: string }) {
  const words = useOwn();
  const page = passage.pages?.[0];
  return (
    <Go to={to} class="cited" label={page === undefined ? words.citesWhole({ title }) : words.cites({ title, page })}>
      {page === undefined ? words.passage : words.page({ n: page })}
    </Go>
  );
}
