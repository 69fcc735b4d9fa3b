// One record for stewards: how complete it is, which links are broken, and which questions led to it.

import type { InsightRecord } from "../openapi.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { Outside } from "../shell/outside.tsx";
import { FindingLine } from "../sources/findingLine.tsx";
import type { Described } from "../types.ts";
import { useLocale } from "../words/index.ts";
import type { Questions } from "./questions.ts";
import { useLoadedWords } from "./words/index.ts";

type RecordInsight = Described<InsightRecord, Questions>;

export function RecordPanel({ id }: { id: string }) {
  const locale = useLocale();
  const words = useLoadedWords(locale);
  const { said } = useLoaded<RecordInsight>(`insight/records/${encodeURIComponent(id)}`, useKey());
  if (!words || !said) return null; // a key that may not see it sees the record's page as everybody does
  return (
    <section class="panel" aria-labelledby="steward">
      <h2 id="steward">{words.title}</h2>
      <p>{words.complete({ n: Math.round(said.completeness * 100) })}</p>
      <Listed name={words.missing} items={said.missing} />
      <Listed name={words.repaired} items={said.repaired} />
      {said.broken_links.length > 0 && (
        <>
          <h3>{words.brokenLinks}</h3>
          <ul>
            {said.broken_links.map((href) => (
              <li key={href} class="breaks">
                <Outside href={href}>{href}</Outside>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{words.ledHere}</h3>
      {said.questions.length === 0 && <p class="soft">{words.none}</p>}
      <ul>
        {said.questions.map((one) => (
          <li key={one.question} class="breaks">
            <Go to={`./?${new URLSearchParams({ q: one.question })}`}>{one.question}</Go>{" "}
            <span class="soft small">
              {words.asked({ n: one.asked })}, {words.people({ n: one.people })}
            </span>
          </li>
        ))}
      </ul>
      {said.hidden.asked > 0 && <p class="soft small">{words.hidden({ questions: said.hidden.questions, asked: said.hidden.asked })}</p>}
      <p class="row">
        <Go to={`desk/rules/pins?${new URLSearchParams({ record: id })}`}>{words.pinFor}</Go>
        <Go to={`desk/rules/overlays?${new URLSearchParams({ record: id })}`}>{words.correct}</Go>
      </p>
    </section>
  );
}

function Listed({ name, items }: { name: string; items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{name}</h3>
      <ul>
        {items.map((one) => (
          <li key={one} class="breaks">
            <FindingLine what={one} />
          </li>
        ))}
      </ul>
    </>
  );
}
