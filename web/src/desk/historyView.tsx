// Who changed which rule, newest first, and undoing it.

import { sendJson } from "../api.ts";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Outcome, useSending } from "../shell/sending.tsx";
import { momentText } from "../times.ts";
import { useLocale } from "../words/index.ts";
import { type Change, isKind, KINDS, nameOf, type Rule } from "./rules.ts";
import { factsOf } from "./rulesView.tsx";
import { Really } from "./really.tsx";
import { useTitles } from "./useTitles.ts";
import { useDesk } from "./words/index.ts";

export function HistoryView({ query }: { query: URLSearchParams }) {
  const words = useDesk();
  const kind = query.get("kind") ?? "";
  const asked = new URLSearchParams({ limit: "100", ...(isKind(kind) ? { kind } : {}) });
  const { said, problem, loading, again } = useLoaded<{ changes: Change[] }>(`curation/history?${asked}`, useKey());
  return (
    <>
      <h2>{words.nav.history}</h2>
      <div class="row choices">
        <label>
          {words.kind}{" "}
          <select value={kind} onChange={(event) => go(`desk/history${event.currentTarget.value && `?kind=${event.currentTarget.value}`}`, true)}>
            <option value="">{words.all}</option>
            {KINDS.map((one) => (
              <option key={one} value={one}>
                {words.kinds[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      {problem && <ProblemNote problem={problem} again={again} />}
      {loading && !said && <p role="status">{words.loading}</p>}
      {said?.changes.length === 0 && <p class="soft">{words.nothing}</p>}
      {said && <ChangeList changes={said.changes} changed={again} />}
    </>
  );
}

/** Without `changed` nothing can be undone. */
export function ChangeList({ changes, changed }: { changes: readonly Change[]; changed?: () => void }) {
  const words = useDesk();
  const sending = useSending();
  const titles = useTitles(changes.flatMap(({ before, after }) => (after ?? before)?.record ?? []));
  const undo = (change: Change) => {
    sending.send(async () => {
      await sendJson("POST", `curation/history/${encodeURIComponent(change.id)}/undo`, {});
      changed?.();
      return words.undoneNow;
    });
  };
  return (
    <>
      <Outcome of={sending} />
      <ol class="rules">
        {changes.map((change) => (
          <OneChange key={change.id} change={change} title={(id) => titles?.get(id) ?? id} undo={changed ? () => undo(change) : undefined} />
        ))}
      </ol>
    </>
  );
}

function OneChange({ change, title, undo }: { change: Change; title: (id: string) => string; undo: (() => void) | undefined }) {
  const words = useDesk();
  const locale = useLocale();
  const name = nameOf(change.kind, change.after ?? change.before ?? {}, title) || change.rule;
  const facts = [words.kinds[change.kind] ?? change.kind, words.actions[change.action] ?? change.action, change.draft && words.draftOf({ name: change.draft }), words.writtenBy({ who: change.by, when: momentText(change.at, locale) })];
  return (
    <li>
      <div class="rule">
        <div>
          <h3 class="breaks">{name}</h3>
          <p class="facts">{facts.filter(Boolean).map((fact) => <span key={fact}>{fact}</span>)}</p>
          {change.before && change.after && <Difference before={change.before} after={change.after} />}
        </div>
        {undo && <Really name={words.undo} label={words.undoOf({ name })} act={undo} />}
      </div>
    </li>
  );
}

function Difference({ before, after }: { before: Partial<Rule>; after: Partial<Rule> }) {
  const words = useDesk();
  const [old, now] = [told(before, words), told(after, words)];
  return (
    <dl class="difference small">
      {[[words.before, old.filter((text) => !now.includes(text))] as const, [words.after, now.filter((text) => !old.includes(text))] as const].map(
        ([name, texts]) =>
          texts.length > 0 && (
            <div key={name}>
              <dt>{name}</dt>
              <dd class="breaks">{texts.join(" · ")}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

function told(rule: Partial<Rule>, words: ReturnType<typeof useDesk>): string[] {
  const about = [[rule.words ?? []].flat().join(" = "), rule.record, rule.source, rule.name, ...(rule.other_names ?? []), rule.reason];
  return [...about.filter((text): text is string => Boolean(text)), ...factsOf(rule, words)];
}
