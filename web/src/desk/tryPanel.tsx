// Tries a draft on questions: what moves up, what falls, and what judgements say of it.

import { useState } from "preact/hooks";
import { sendJson } from "../api.ts";
import type { JudgedPair, TryBody } from "../openapi.ts";
import { recordAddress } from "../route.ts";
import { Go } from "../shell/link.tsx";
import { Outcome, useSending } from "../shell/sending.tsx";
import { judgementsOf } from "./judged.ts";
import type { Tried } from "./rules.ts";
import { useTitles } from "./useTitles.ts";
import { type DeskWords, useDesk } from "./words/index.ts";

const RECENT = 20;

export function TryPanel({ name }: { name: string }) {
  const words = useDesk();
  const sending = useSending();
  const [text, setText] = useState("");
  const [recent, setRecent] = useState(false);
  const [judged, setJudged] = useState<JudgedPair[] | null | "wrong">(null);
  const [tried, setTried] = useState<Tried | null>(null);
  const questions = text.split("\n").map((one) => one.trim()).filter(Boolean);
  const judgements = judged === "wrong" || judged === null ? [] : judged;
  const read = async (input: HTMLInputElement) => {
    const files = await Promise.all([...(input.files ?? [])].map((file) => file.text()));
    setJudged(files.length === 0 ? null : (judgementsOf(files) ?? "wrong"));
  };
  const attempt = (event: Event) => {
    event.preventDefault();
    setTried(null);
    sending.send(async () => {
      const body: TryBody = { questions, judgements, recent: recent ? RECENT : 0 };
      setTried(await sendJson<Tried>("POST", `curation/try?${new URLSearchParams({ draft: name })}`, body));
      return "";
    });
  };
  return (
    <section class="panel" aria-labelledby="try">
      <h3 id="try">{words.tryTitle}</h3>
      <form onSubmit={attempt}>
        <label class="field wide">
          <span>{words.tryQuestions}</span>
          <textarea rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <p>
          <label>
            <input type="checkbox" checked={recent} onChange={(event) => setRecent(event.currentTarget.checked)} /> {words.tryRecent}
          </label>
        </p>
        <label class="field wide">
          <span>{words.tryJudged}</span>
          <input type="file" multiple accept=".jsonl,.tsv,.txt" onChange={(event) => void read(event.currentTarget)} />
        </label>
        <p class="small" role="status">
          {judged === "wrong" ? <span class="wrong-field">{words.notJudged}</span> : judgements.length > 0 && words.judged({ questions: new Set(judgements.map((one) => one.question)).size, grades: judgements.length })}
        </p>
        <button type="submit" class="main-button" disabled={sending.busy || (questions.length === 0 && judgements.length === 0 && !recent)}>
          {words.tryNow}
        </button>
      </form>
      {sending.busy && <p role="status">{words.trying}</p>}
      <Outcome of={sending} />
      {tried && <Result tried={tried} />}
    </section>
  );
}

function Result({ tried }: { tried: Tried }) {
  const words = useDesk();
  const titles = useTitles(tried.questions.flatMap((one) => one.moved.map((each) => each.record)));
  return (
    <div class="tried" role="status">
      {tried.ndcg_before !== null && tried.ndcg_after !== null && <p><strong>{words.ndcg({ before: tried.ndcg_before, after: tried.ndcg_after })}</strong></p>}
      {tried.questions.map((one) => (
        <section key={one.question}>
          <h4 class="breaks">{one.question}</h4>
          {one.ndcg_before !== null && one.ndcg_after !== null && <p class="small soft">{words.ndcg({ before: one.ndcg_before, after: one.ndcg_after })}</p>}
          {one.moved.length === 0 && <p class="soft small">{words.unmoved}</p>}
          <ul>
            {one.moved.map(({ record, before, after }) => (
              <li key={record} class={`moved ${rises(before, after) ? "up" : "down"}`}>
                <span aria-hidden="true">{rises(before, after) ? "▲" : "▼"}</span> <Go to={recordAddress(record)}>{titles?.get(record) ?? record}</Go>{" "}
                <span class="soft small">{movedText(before, after, words)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function rises(before: number | null, after: number | null): boolean {
  return after !== null && (before === null || after < before);
}

function movedText(before: number | null, after: number | null, words: DeskWords): string {
  if (after === null) return words.leaves({ before: before ?? 0 });
  if (before === null) return words.enters({ after });
  return after < before ? words.up({ before, after }) : words.down({ before, after });
}
