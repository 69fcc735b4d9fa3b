// The cited sentence: in the file where it may be shown, else as text with a link to the original.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getJson, isAbort, type Problem } from "../api.ts";
import { Outside } from "../shell/outside.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { useWords } from "../words/index.ts";
import { type Cited, type CitedPassage, type DocumentFeature, originAt } from "./document.ts";
import { PdfPane } from "./pdfPane.tsx";

export function CitedPanel({ found, cited }: { found: DocumentFeature; cited: Cited }) {
  const words = useWords().document;
  const [passage, setPassage] = useState<CitedPassage | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    const query = cited.quote ? `?${new URLSearchParams({ quote: cited.quote })}` : "";
    getJson<CitedPassage>(`documents/${found.id}/passages/${cited.passage}${query}`, stop.signal)
      .then((got) => {
        setProblem(null);
        setPassage(got);
      })
      .catch((error: unknown) => !isAbort(error) && setProblem(asProblem(error)));
    return () => stop.abort();
  }, [found.id, attempt]);
  if (problem) return <ProblemNote problem={problem} again={() => setAttempt(attempt + 1)} />;
  if (passage === null) return <p role="status">{words.loading}</p>;
  const page = passage.marks[0]?.page ?? passage.pages?.[0];
  const file = found.links.find((one) => one.rel === "enclosure" && one.type === "application/pdf");
  const origin = originAt(found.links, page);
  return (
    <section aria-labelledby="cited">
      <h2 id="cited">{words.cited}</h2>
      <Text passage={passage} />
      {page !== undefined && <p class="soft small">{passage.marks.length > 0 && file ? words.marked({ n: page }) : words.onPage({ n: page })}</p>}
      {file && page !== undefined && <PdfPane address={`documents/${found.id}/file`} marks={passage.marks} page={page} origin={origin} />}
      {!file && origin && (
        <p>
          <Outside href={origin}>{words.openOriginal}</Outside>
        </p>
      )}
    </section>
  );
}

/** The passage with its sentence marked. */
function Text({ passage }: { passage: CitedPassage }) {
  const { quote, text } = passage;
  const at = quote ? text.indexOf(quote) : -1;
  return (
    <blockquote>
      {at < 0 || !quote ? (
        text
      ) : (
        <>
          {text.slice(0, at)}
          <mark>{quote}</mark>
          {text.slice(at + quote.length)}
        </>
      )}
    </blockquote>
  );
}
