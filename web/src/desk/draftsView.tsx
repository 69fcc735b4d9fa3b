// Drafts: what they hold, what they would change, and putting them into service.

import { getJson, sendJson, sent } from "../api.ts";
import { useEffect, useState } from "preact/hooks";
import { go } from "../route.ts";
import { useKey } from "../session.ts";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Outcome, useSending } from "../shell/sending.tsx";
import { type Kind, KINDS, type Rule, rulesCall } from "./rules.ts";
import { RuleList } from "./rulesView.tsx";
import { Really } from "./really.tsx";
import { TryPanel } from "./tryPanel.tsx";
import { useDesk } from "./words/index.ts";

export const draftAddress = (name: string) => `desk/drafts/${encodeURIComponent(name)}`;

export function DraftsView() {
  const words = useDesk();
  const { said, problem, loading, again } = useLoaded<{ drafts: { id: string; rules: number }[] }>("curation/drafts", useKey());
  return (
    <>
      <h2>{words.nav.drafts}</h2>
      <p>{words.draftsHelp}</p>
      {problem && <ProblemNote problem={problem} again={again} />}
      {loading && !said && <p role="status">{words.loading}</p>}
      {said?.drafts.length === 0 && <p class="soft">{words.nothing}</p>}
      <ul class="rules">
        {said?.drafts.map((draft) => (
          <li key={draft.id}>
            <h3>
              <Go to={draftAddress(draft.id)}>{draft.id}</Go>
            </h3>
            <p class="facts">{words.draftRules({ n: draft.rules })}</p>
          </li>
        ))}
      </ul>
      <Go to="desk/rules/pins" class="as-button">
        {words.newRule}
      </Go>
    </>
  );
}

const TRIED = KINDS.filter((kind) => kind !== "overlays");

export function DraftView({ name }: { name: string }) {
  const words = useDesk();
  const key = useKey();
  const sending = useSending();
  const [rules, setRules] = useState<Partial<Record<Kind, Rule[]>>>({});
  const [round, setRound] = useState(0);
  useEffect(() => {
    const stop = new AbortController();
    Promise.all(TRIED.map(async (kind) => [kind, (await getJson<{ rules: Rule[] }>(rulesCall(kind, name), stop.signal)).rules] as const))
      .then((all) => setRules(Object.fromEntries(all)))
      .catch(() => undefined);
    return () => stop.abort();
  }, [name, key, round]);
  const publish = () => {
    sending.send(async () => {
      const { published } = await sendJson<{ published: number }>("POST", `curation/drafts/${encodeURIComponent(name)}/publish`, {});
      setRound(round + 1);
      return words.published({ n: published });
    });
  };
  const discard = () => {
    sending.send(async () => {
      await sent(`curation/drafts/${encodeURIComponent(name)}`, { method: "DELETE" });
      go("desk/drafts", true);
      return words.removed;
    });
  };
  const held = TRIED.filter((kind) => (rules[kind] ?? []).length > 0);
  return (
    <>
      <p class="back">
        <Go to="desk/drafts">← {words.nav.drafts}</Go>
      </p>
      <h2 class="breaks">{words.draftOf({ name })}</h2>
      {held.length === 0 && <p class="soft">{words.nothing}</p>}
      {held.map((kind) => (
        <section key={kind}>
          <h3>{words.kinds[kind]}</h3>
          <RuleList kind={kind} draft={name} rules={rules[kind] ?? []} changed={() => setRound(round + 1)} />
        </section>
      ))}
      <p>
        <Go to={`desk/rules/pins?${new URLSearchParams({ draft: name })}`}>{words.writeInto}</Go>
      </p>
      {held.length > 0 && <TryPanel name={name} />}
      {held.length > 0 && (
        <p class="row">
          <Really name={words.publish} label={words.publish} busy={sending.busy} act={publish} />
          <Really name={words.discard} label={words.discard} busy={sending.busy} act={discard} />
        </p>
      )}
      <Outcome of={sending} />
    </>
  );
}
