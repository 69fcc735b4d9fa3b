// The rules of one kind: listed, written, changed, imported and removed.

import { useState } from "preact/hooks";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { saveFile } from "../shell/save.ts";
import { Outcome, useSending } from "../shell/sending.tsx";
import { recordAddress } from "../route.ts";
import { momentText } from "../times.ts";
import { useLocale } from "../words/index.ts";
import { ImportPanel } from "./importPanel.tsx";
import { RuleForm } from "./ruleForm.tsx";
import { KINDS, type Kind, nameOf, removeRule, type Rule, rulesCall } from "./rules.ts";
import { Really } from "./really.tsx";
import { useTitles } from "./useTitles.ts";
import { type DeskWords, useDesk } from "./words/index.ts";

const SHOWN = 50;

interface Props {
  kind: Kind;
  query: URLSearchParams;
}

export function RulesView({ kind, query }: Props) {
  const words = useDesk();
  const key = useKey();
  const draft = kind === "overlays" ? null : query.get("draft") || null;
  const { said, problem, loading, again } = useLoaded<{ rules: Rule[] }>(rulesCall(kind, draft), key);
  const start = startOf(kind, query);
  return (
    <>
      <nav class="kinds" aria-label={words.nav.rules}>
        {KINDS.map((one) => (
          <Go key={one} to={`desk/rules/${one}`} current={one === kind}>
            {words.kinds[one]}
          </Go>
        ))}
      </nav>
      <h2>{words.kinds[kind]}</h2>
      <p>{words.kindHelp[kind]}</p>
      {kind !== "overlays" && <DraftChoice kind={kind} draft={draft} />}
      {problem && <ProblemNote problem={problem} again={again} />}
      {loading && !said && <p role="status">{words.loading}</p>}
      {said && <RuleList key={`${kind} ${draft ?? ""}`} kind={kind} draft={draft} rules={said.rules} changed={again} />}
      <section class="panel" aria-labelledby="new-rule">
        <h3 id="new-rule">{words.newRule}</h3>
        <RuleForm key={`${kind} ${draft ?? ""} ${query}`} kind={kind} draft={draft} start={start} done={again} />
      </section>
      <ImportPanel key={`${kind} ${draft ?? ""} file`} kind={kind} draft={draft} done={again} />
      {said && said.rules.length > 0 && (
        <button type="button" onClick={() => saveFile(new Blob([JSON.stringify(said.rules.map(bare), null, 2)], { type: "application/json" }), `${kind}.json`)}>
          {words.asJson}
        </button>
      )}
    </>
  );
}

/** What an import takes again: without who wrote it. */
function bare({ by: _by, at: _at, ...rule }: Rule): Partial<Rule> {
  return rule;
}

/** A link from a question brings its words. */
function startOf(kind: Kind, query: URLSearchParams): Partial<Rule> {
  const text = query.get("words");
  const record = query.get("record");
  return {
    ...(text === null ? {} : { words: kind === "synonyms" ? [text] : text }),
    ...(record === null ? {} : { record }),
  };
}

function DraftChoice({ kind, draft }: { kind: Kind; draft: string | null }) {
  const words = useDesk();
  const { said } = useLoaded<{ drafts: { id: string }[] }>("curation/drafts", useKey());
  const [naming, setNaming] = useState(false);
  const names = [...new Set([...(said?.drafts ?? []).map((one) => one.id), ...(draft ? [draft] : [])])];
  const choose = (name: string) => {
    setNaming(name === NEW);
    if (name !== NEW) go(`desk/rules/${kind}${name ? `?${new URLSearchParams({ draft: name })}` : ""}`);
  };
  const named = (event: SubmitEvent) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget as HTMLFormElement).get("name") ?? "").trim();
    if (name) choose(name);
  };
  return (
    <div class="row draft-choice">
      <label>
        {words.into}{" "}
        <select value={naming ? NEW : (draft ?? "")} onChange={(event) => choose(event.currentTarget.value)}>
          <option value="">{words.live}</option>
          {names.map((name) => (
            <option key={name} value={name}>
              {words.inDraft({ name })}
            </option>
          ))}
          <option value={NEW}>{words.newDraft}</option>
        </select>
      </label>
      {naming && (
        <form class="row" onSubmit={named}>
          <input name="name" required pattern="[A-Za-z0-9][A-Za-z0-9._\-]{0,63}" aria-label={words.newDraftName} placeholder={words.newDraftName} />
          <button type="submit">{words.choose}</button>
        </form>
      )}
    </div>
  );
}

const NEW = "+";

interface ListProps {
  kind: Kind;
  draft: string | null;
  rules: readonly Rule[];
  changed: () => void;
}

export function RuleList({ kind, draft, rules, changed }: ListProps) {
  const words = useDesk();
  const sending = useSending();
  const [all, setAll] = useState(false);
  const shown = all ? rules : rules.slice(0, SHOWN);
  const titles = useTitles(shown.flatMap((rule) => rule.record ?? []));
  const remove = (rule: Rule) => {
    sending.send(async () => {
      await removeRule(kind, draft, rule.id);
      changed();
      return words.removed;
    });
  };
  return (
    <section aria-label={words.kinds[kind]}>
      {rules.length === 0 && <p class="soft">{words.nothing}</p>}
      <ul class="rules">
        {shown.map((rule) => (
          <OneRule key={rule.id} kind={kind} draft={draft} rule={rule} titles={titles} remove={() => remove(rule)} changed={changed} />
        ))}
      </ul>
      {shown.length < rules.length && (
        <button type="button" onClick={() => setAll(true)}>
          {words.more}
        </button>
      )}
      <Outcome of={sending} />
    </section>
  );
}

interface OneProps {
  kind: Kind;
  draft: string | null;
  rule: Rule;
  titles: ReadonlyMap<string, string> | null;
  remove: () => void;
  changed: () => void;
}

function OneRule({ kind, draft, rule, titles, remove, changed }: OneProps) {
  const words = useDesk();
  const locale = useLocale();
  const [open, setOpen] = useState(false);
  const name = rule.removes ? rule.id : nameOf(kind, rule, (id) => titles?.get(id) ?? id);
  const facts = [...factsOf(rule, words), rule.reason && `“${rule.reason}”`, words.writtenBy({ who: rule.by, when: momentText(rule.at, locale) })];
  return (
    <li>
      <div class="rule">
        <div>
          <h3 class="breaks">{rule.record && !rule.removes ? <RecordName kind={kind} rule={rule} titles={titles} /> : name}</h3>
          <p class="facts">{facts.filter(Boolean).map((fact) => <span key={fact}>{fact}</span>)}</p>
        </div>
        <p class="row">
          {!rule.removes && (
            <button type="button" aria-label={words.editOf({ name })} aria-expanded={open} onClick={() => setOpen(!open)}>
              {words.edit}
            </button>
          )}
          <Really name={words.remove} label={words.removeOf({ name })} act={remove} />
        </p>
      </div>
      {open && (
        <div role="group" aria-label={words.changeRule}>
          <RuleForm kind={kind} draft={draft} start={rule} done={changed} cancel={() => setOpen(false)} />
        </div>
      )}
    </li>
  );
}

function RecordName({ kind, rule, titles }: { kind: Kind; rule: Rule; titles: ReadonlyMap<string, string> | null }) {
  const words = useDesk();
  const id = rule.record ?? "";
  const title = titles?.get(id);
  return (
    <>
      {kind === "pins" && `${String(rule.words)} → `}
      <Go to={recordAddress(id)}>{title ?? id}</Go>
      {titles && title === undefined && <span class="wrong-field"> {words.gone}</span>}
    </>
  );
}

/** What a rule says besides its name. */
export function factsOf(rule: Partial<Rule>, words: DeskWords): string[] {
  const told = [
    rule.removes ? words.takesAway : "",
    rule.words === undefined && rule.match !== undefined ? words.anyWords : "",
    rule.match && rule.words ? words.matches[rule.match] : "",
    rule.order === undefined && typeof rule.words === "string" ? rule.words : "",
    rule.order === undefined ? "" : `${words.fields.order} ${rule.order}`,
    rule.boost === undefined ? "" : `${rule.boost > 0 ? "+" : ""}${rule.boost}`,
    rule.language,
    rule.country,
    rule.title === undefined ? "" : `${words.fields.title} “${rule.title}”`,
    rule.keywords?.join(", "),
    rule.bbox?.join(", "),
    rule.start,
    rule.end,
    rule.valid_from && words.validFrom({ day: rule.valid_from }),
    rule.valid_until && words.validUntil({ day: rule.valid_until }),
    rule.valid_until && rule.valid_until < new Date().toISOString().slice(0, 10) ? words.over : "",
  ];
  return told.filter((text): text is string => Boolean(text));
}
