// Removes a catalogue: says first what goes with it.

import { useState } from "preact/hooks";
import { getJson, sent } from "../api.ts";
import { sourceCall, type SourceState } from "../sources/harvest.ts";
import { Outcome, useSending } from "../shell/sending.tsx";
import { useDesk } from "./words/index.ts";

const COUNTED = ["records", "documents", "tombstones", "runs"] as const;

type Holdings = Record<(typeof COUNTED)[number], number> & { configured: boolean };

export function RemoveSource({ state: { id, title }, changed }: { state: SourceState; changed: () => void }) {
  const words = useDesk();
  const sending = useSending();
  const [holdings, setHoldings] = useState<Holdings | null>(null);
  const ask = () =>
    sending.send(async () => {
      setHoldings(await getJson<Holdings>(sourceCall(id, "/holdings")));
      return "";
    });
  const remove = () =>
    sending.send(async () => {
      await sent(sourceCall(id), { method: "DELETE" });
      setHoldings(null);
      changed();
      return words.goes.begun;
    });
  return (
    <>
      {holdings ? (
        <div class="note" role="group" aria-label={words.goes.removeOf({ title })}>
          <p>{words.goes.all({ title })}</p>
          <ul>
            {COUNTED.map((name) => (
              <li key={name}>{words.goes.counts[name]({ n: holdings[name] })}</li>
            ))}
            {holdings.configured && <li>{words.goes.entry}</li>}
          </ul>
          <p class="row">
            <button type="button" onClick={() => setHoldings(null)}>
              {words.cancel}
            </button>
            <button type="button" disabled={sending.busy} onClick={remove}>
              {words.goes.removeAll}
            </button>
          </p>
        </div>
      ) : (
        <button type="button" aria-label={words.goes.removeOf({ title })} disabled={sending.busy} onClick={ask}>
          {words.goes.remove}
        </button>
      )}
      <Outcome of={sending} />
    </>
  );
}
