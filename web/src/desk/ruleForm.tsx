// The form for one rule: new, or changed.

import { Outcome, useSending } from "../shell/sending.tsx";
import { useEffect, useState } from "preact/hooks";
import { getIfThere } from "../api.ts";
import type { Catalogue } from "../sources/catalogue.ts";
import { BoxField } from "./boxField.tsx";
import { RecordField } from "./recordField.tsx";
import { type Field, FIELDS, type Kind, type Rule, writeRule } from "./rules.ts";
import { useDesk } from "./words/index.ts";

type Values = Record<string, string>;

/** Rules with exactly one of two fields. */
const EITHER: Partial<Record<Kind, readonly [string, string]>> = { blocks: ["record", "source"], places: ["bbox", "no_place"] };

interface Props {
  kind: Kind;
  draft: string | null;
  /** The rule to change, or what a new one begins with. */
  start: Partial<Rule>;
  done: () => void;
  cancel?: () => void;
}

export function RuleForm({ kind, draft, start, done, cancel }: Props) {
  const words = useDesk();
  const sending = useSending();
  const [values, setValues] = useState<Values>(() => valuesOf(kind, start));
  const [round, setRound] = useState(0);
  const change = (name: string) => (value: string) => setValues((before) => ({ ...before, [name]: value }));
  const lacks = FIELDS[kind].some((field) => field.required && !values[field.name]?.trim()) || !hasOneOf(values, EITHER[kind]);
  const give = (event: Event) => {
    event.preventDefault();
    sending.send(async () => {
      const taken = await writeRule(kind, draft, ruleOf(kind, values, start.id));
      if (start.id === undefined) {
        setValues(valuesOf(kind, {}));
        setRound(round + 1);
      }
      done();
      return taken.later.length > 0 ? `${words.saved} ${words.later}` : words.saved;
    });
  };
  return (
    <form class="rule-form" key={round} onSubmit={give}>
      {FIELDS[kind].map((field) => (
        <OneField key={field.name} field={field} value={values[field.name] ?? ""} about={values.words ?? ""} fixed={field.name === "record" && kind === "overlays" && start.id !== undefined} change={change(field.name)} />
      ))}
      <p class="row wide">
        <button type="submit" class="main-button" disabled={sending.busy || lacks}>
          {words.save}
        </button>
        {cancel && (
          <button type="button" onClick={cancel}>
            {words.cancel}
          </button>
        )}
      </p>
      <Outcome of={sending} />
    </form>
  );
}

interface OneProps {
  field: Field;
  value: string;
  about: string;
  fixed: boolean;
  change: (value: string) => void;
}

function OneField({ field, value, about, fixed, change }: OneProps) {
  const words = useDesk();
  const name = words.fields[field.label ?? field.name] ?? field.name;
  const required = field.required ?? false;
  if (field.input === "record") return fixed ? <p class="wide breaks"><code>{value}</code></p> : <RecordField label={name} value={value} about={about} change={change} />;
  if (field.input === "bbox") return <BoxField label={name} value={value} required={required} change={change} />;
  if (field.input === "flag") {
    return (
      <label class="wide">
        <input type="checkbox" checked={value === "true"} onChange={(event) => change(event.currentTarget.checked ? "true" : "")} /> {name}
      </label>
    );
  }
  return (
    <label class={`field ${field.wide || field.input === "lines" ? "wide" : ""}`}>
      <span>{name}</span>
      <Control field={field} value={value} required={required} change={change} />
    </label>
  );
}

interface ControlProps {
  field: Field;
  value: string;
  required: boolean;
  change: (value: string) => void;
}

function Control({ field, value, required, change }: ControlProps) {
  const words = useDesk();
  const took = (event: { currentTarget: { value: string } }) => change(event.currentTarget.value);
  if (field.input === "lines") return <textarea rows={4} required={required} value={value} onInput={took} />;
  if (field.input === "source") return <SourceChoice value={value} required={required} change={change} />;
  if (field.input === "match") {
    return (
      <select value={value} onChange={took}>
        {Object.entries(words.matches).map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    );
  }
  if (field.input === "number") return <input type="number" required={required} min={field.least} max={field.most} step={field.step} value={value} onInput={took} />;
  if (field.input === "day") return <input type="date" value={value} onInput={took} />;
  return <input type="text" required={required} maxLength={field.longest ?? 500} placeholder={field.hint && words.fields[field.hint]} value={value} onInput={took} />;
}

function SourceChoice({ value, required, change }: { value: string; required: boolean; change: (value: string) => void }) {
  const [catalogues, setCatalogues] = useState<Catalogue[]>([]);
  useEffect(() => {
    getIfThere<{ collections: Catalogue[] }>("collections")
      .then((said) => setCatalogues((said?.collections ?? []).filter((one) => one.id !== "all")))
      .catch(() => undefined);
  }, []);
  const known = catalogues.some((one) => one.id === value) || value === "";
  return (
    <select required={required} value={value} onChange={(event) => change(event.currentTarget.value)}>
      <option value="" />
      {!known && <option value={value}>{value}</option>}
      {catalogues.map((one) => (
        <option key={one.id} value={one.id}>
          {one.title}
        </option>
      ))}
    </select>
  );
}

function hasOneOf(values: Values, fields: readonly [string, string] | undefined): boolean {
  return fields === undefined || !values[fields[0]] !== !values[fields[1]];
}

function valuesOf(kind: Kind, rule: Partial<Rule>): Values {
  const values: Values = kind === "pins" ? { match: "whole", order: "1" } : kind === "blocks" || kind === "boosts" ? { match: "part" } : {};
  for (const { name, input } of FIELDS[kind]) {
    const value = rule[name];
    if (value !== undefined && value !== false) values[name] = Array.isArray(value) ? value.join(input === "lines" ? "\n" : ",") : String(value);
  }
  return values;
}

/** Empty fields are left out. */
function ruleOf(kind: Kind, values: Values, id: string | undefined): Partial<Rule> {
  const rule: Record<string, unknown> = id === undefined ? {} : { id };
  for (const { name, input } of FIELDS[kind]) {
    const text = (values[name] ?? "").trim();
    if (text === "") continue;
    if (input === "flag") rule[name] = true;
    else if (input === "number") rule[name] = Number(text);
    else if (input === "bbox") rule[name] = text.split(",").map(Number);
    else if (input === "lines") rule[name] = text.split("\n").map((one) => one.trim()).filter(Boolean);
    else rule[name] = text;
  }
  return rule;
}
