// The catalogues: the number of their records, their area and period; for stewards also their runs.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getIfThere, isAbort, type Problem } from "../api.ts";
import { has } from "../rooms.ts";
import { sourceAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { FairPanel } from "../fair/fairPanel.tsx";
import { SignIn } from "../shell/signIn.tsx";
import { Go } from "../shell/link.tsx";
import { useLoaded } from "../shell/loaded.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { useWords } from "../words/index.ts";
import type { Catalogue } from "./catalogue.ts";
import { CatalogueFacts } from "./catalogueFacts.tsx";
import type { Overview, SourceState } from "./harvest.ts";
import { StateLine } from "./stateLine.tsx";
import { useLooking } from "./useLooking.ts";
import { setTitle } from "../portal.ts";

type State = { said: Catalogue[] | null; problem: Problem | null; loading: boolean };

const NOTHING: never[] = [];

export function SourcesView() {
  const words = useWords();
  const [attempt, setAttempt] = useState(0);
  const key = useKey();
  const { said, problem, loading } = useCatalogues(attempt, key);
  const harvest = useLoaded<Overview>(key !== null && has("harvest") ? "harvest/sources" : null, key);
  const states = harvest.said?.sources ?? NOTHING;
  useLooking(states, harvest.again);
  const catalogues = (said ?? NOTHING).filter((one) => one.id !== "all");
  const without = states.filter((state) => !catalogues.some((one) => one.id === state.id));
  useEffect(() => {
    setTitle(words.sourcesTitle);
  }, [words]);
  return (
    <main id="main" tabIndex={-1} class="sources">
      <h1>{words.sourcesTitle}</h1>
      {loading && <p role="status">{words.loading}</p>}
      {problem && <ProblemNote problem={problem} again={() => setAttempt(attempt + 1)} />}
      {!loading && !problem && said === null && <p class="note">{words.sourcesMissing}</p>}
      {harvest.said?.["sonde:degraded"].length ? <p class="note degraded">{words.harvest.noSchedule}</p> : null}
      <ul>
        {catalogues.map((one) => (
          <Source key={one.id} id={one.id} catalogue={one} state={states.find((state) => state.id === one.id)} changed={harvest.again} />
        ))}
        {without.map((state) => (
          <Source key={state.id} id={state.id} state={state} changed={harvest.again} />
        ))}
      </ul>
      {!loading && has("desk") && (
        <p class="apart">
          <Go to="desk">{words.nav.desk}</Go>
        </p>
      )}
      {!loading && has("harvest") && <Stewards known={key !== null} problem={harvest.problem} again={harvest.again} />}
    </main>
  );
}

function Stewards({ known, problem, again }: { known: boolean; problem: Problem | null; again: () => void }) {
  const words = useWords();
  if (known && !problem) return null;
  return (
    <section class="stewards" aria-labelledby="stewards">
      <h2 id="stewards">{words.harvest.stewards}</h2>
      <p>{words.harvest.stewardsHelp}</p>
      {known && problem ? <ProblemNote problem={problem} again={again} /> : <SignIn />}
    </section>
  );
}

interface SourceProps {
  id: string;
  catalogue?: Catalogue;
  state?: SourceState | undefined;
  changed: () => void;
}

function Source({ id, catalogue, state, changed }: SourceProps) {
  const words = useWords();
  const title = catalogue?.title ?? state?.title ?? id;
  return (
    <li>
      <h2>{catalogue ? <Go to={`./?${new URLSearchParams({ source: id })}`}>{title}</Go> : title}</h2>
      {catalogue && <CatalogueFacts catalogue={catalogue} />}
      {state && (
        <>
          <StateLine state={state} changed={changed} />
          <p>
            <Go to={sourceAddress(id)}>
              <span aria-hidden="true">{words.harvest.details}</span>
              <span class="unseen">{words.harvest.detailsOf({ title })}</span>
            </Go>
          </p>
        </>
      )}
      {catalogue && <FairPanel id={id} title={title} />}
    </li>
  );
}

function useCatalogues(attempt: number, known: string | null): State {
  const [state, setState] = useState<State>({ said: null, problem: null, loading: true });
  useEffect(() => {
    const stop = new AbortController();
    setState({ said: null, problem: null, loading: true });
    getIfThere<{ collections: Catalogue[] }>("collections", stop.signal)
      .then((said) => setState({ said: said?.collections ?? null, problem: null, loading: false }))
      .catch((error: unknown) => {
        if (!isAbort(error)) setState({ said: null, problem: asProblem(error), loading: false });
      });
    return () => stop.abort();
  }, [attempt, known]);
  return state;
}
