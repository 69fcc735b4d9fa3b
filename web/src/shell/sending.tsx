// An action of the user: one at a time, its outcome said, its error shown.

import { useState } from "preact/hooks";
import { asProblem, type Problem } from "../api.ts";
import { ProblemNote } from "./problem.tsx";

export interface Sending {
  busy: boolean;
  problem: Problem | null;
  /** What the last action led to. */
  said: string;
  /** `act` returns what to say. */
  send(act: () => Promise<string>): void;
  clear(): void;
}

export function useSending(): Sending {
  const [state, setState] = useState({ busy: false, problem: null as Problem | null, said: "" });
  return {
    ...state,
    send(act) {
      setState({ busy: true, problem: null, said: "" });
      act()
        .then((said) => setState({ busy: false, problem: null, said }))
        .catch((error: unknown) => setState({ busy: false, problem: asProblem(error), said: "" }));
    },
    clear: () => setState({ busy: false, problem: null, said: "" }),
  };
}

export function Outcome({ of }: { of: Sending }) {
  return (
    <>
      <p role="status" class="outcome">{of.said}</p>
      {of.problem && <ProblemNote problem={of.problem} again={of.clear} />}
    </>
  );
}

interface SureProps {
  name: string;
  /** What it does, in full. */
  label: string;
  /** Its text while it asks back. */
  really: string;
  busy?: boolean;
  act: () => void;
}

/** A button that asks back before it does what cannot be undone or seen at once. */
export function SureButton({ name, label, really, busy, act }: SureProps) {
  const [asks, setAsks] = useState(false);
  const press = () => {
    setAsks(!asks);
    if (asks) act();
  };
  return (
    <button type="button" aria-label={asks ? undefined : label} disabled={busy} onClick={press} onBlur={() => setAsks(false)}>
      {asks ? really : name}
    </button>
  );
}
