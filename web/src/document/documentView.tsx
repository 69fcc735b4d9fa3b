// The page of a document: what it is, the cited sentence in its file, its tables, passages and references.

import { useEffect, useState } from "preact/hooks";
import { asProblem, getIfThere, isAbort, type Problem } from "../api.ts";
import { recordAddress } from "../route.ts";
import { useKey } from "../session.ts";
import { SignIn } from "../shell/signIn.tsx";
import { Go } from "../shell/link.tsx";
import { Outside } from "../shell/outside.tsx";
import { ProblemNote } from "../shell/problem.tsx";
import { useLocale, useWords } from "../words/index.ts";
import { BibliographyPanel } from "./bibliographyPanel.tsx";
import { CitedPanel } from "./citedPanel.tsx";
import { CollectPanel } from "./collectPanel.tsx";
import { citedBy, type DocumentFeature, originAt, pageIn } from "./document.ts";
import { EditPanel } from "./editPanel.tsx";
import { PassagesPanel } from "./passagesPanel.tsx";
import { PdfPane } from "./pdfPane.tsx";
import { TablesPanel } from "./tablesPanel.tsx";
import { usePdfWords } from "./words/index.ts";

const DOI = "DOI";
const REGISTRIES: Record<string, string> = { crossref: "Crossref", datacite: "DataCite" };

interface State {
  found: DocumentFeature | null;
  loading: boolean;
  problem: Problem | null;
}

export function DocumentView({ id, hash }: { id: string; hash: string }) {
  const words = useWords();
  const key = useKey();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<State>({ found: null, loading: true, problem: null });
  useEffect(() => {
    const stop = new AbortController();
    getIfThere<DocumentFeature>(`documents/${encodeURIComponent(id)}`, stop.signal)
      .then((found) => setState({ found, loading: false, problem: null }))
      .catch((error: unknown) => !isAbort(error) && setState({ found: null, loading: false, problem: asProblem(error) }));
    return () => stop.abort();
  }, [id, key, attempt]);
  const title = state.found?.properties.title ?? words.untitled;
  useEffect(() => {
    if (state.found) document.title = `${title} – Sonde`;
  }, [state.found, title]);
  return (
    <main id="main" tabIndex={-1} class="record paper">
      {state.problem && <ProblemNote problem={state.problem} again={() => setAttempt(attempt + 1)} />}
      {state.loading && <p role="status">{words.loading}</p>}
      {!state.loading && !state.problem && state.found === null && <Missing withKey={key !== null} />}
      {state.found && <Whole found={state.found} title={title} hash={hash} changed={() => setAttempt(attempt + 1)} />}
    </main>
  );
}

interface WholeProps {
  found: DocumentFeature;
  title: string;
  hash: string;
  changed: () => void;
}

function Whole({ found, title, hash, changed }: WholeProps) {
  const cited = citedBy(hash);
  const known = useKey() !== null;
  const file = found.links.find((one) => one.rel === "enclosure");
  return (
    <article>
      {cited?.from && <BackToAnswer address={cited.from} />}
      <h1>{title}</h1>
      <Facts found={found} />
      <BibliographyPanel id={found.id} />
      {found.properties["sonde:private"] && <EditPanel found={found} changed={changed} />}
      {known && <CollectPanel id={found.id} />}
      {cited !== null && <CitedPanel key={`${cited.passage} ${cited.quote}`} found={found} cited={cited} />}
      {cited === null && file?.type === "application/pdf" && <FileToOpen key={hash} found={found} at={pageIn(hash)} />}
      <TablesPanel found={found} />
      <PassagesPanel id={found.id} />
      <References texts={found.properties["sonde:references"] ?? []} />
    </article>
  );
}

function BackToAnswer({ address }: { address: string }) {
  const words = usePdfWords(useLocale());
  return (
    <p class="back">
      <Go to={address} back>← {words?.toAnswer ?? ""}</Go>
    </p>
  );
}

/** `at`: the page that is open at once. */
function FileToOpen({ found, at }: { found: DocumentFeature; at: number | null }) {
  const words = useWords().document;
  const [open, setOpen] = useState(at !== null);
  if (open) return <PdfPane address={`documents/${found.id}/file`} marks={[]} page={at ?? 1} origin={originAt(found.links, at ?? undefined)} />;
  return (
    <p>
      <button type="button" onClick={() => setOpen(true)}>
        {words.showFile}
      </button>
    </p>
  );
}

function Facts({ found }: { found: DocumentFeature }) {
  const words = useWords().document;
  const { properties } = found;
  const doi = properties.externalIds?.[0]?.value;
  const record = properties["sonde:record"];
  const origin = originAt(found.links, undefined);
  const registry = (field: string) => REGISTRIES[properties["sonde:metadataFrom"]?.[field] ?? ""];
  const facts: [string, string | undefined, (string | undefined)?][] = [
    [words.authors, properties.contacts?.map((one) => one.name).join(", "), registry("authors")],
    [words.published, properties.created, registry("published")],
    [words.journal, properties["sonde:journal"], registry("journal")],
    [words.pages, properties["sonde:pages"]?.toString()],
  ];
  return (
    <dl class="facts-list">
      {facts.filter(([, value]) => value).map(([name, value, source]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value} {source && <small>({source})</small>}
          </dd>
        </div>
      ))}
      {doi && (
        <div>
          <dt>{DOI}</dt>
          <dd>
            <Outside href={`https://doi.org/${doi}`}>{doi}</Outside>
          </dd>
        </div>
      )}
      {record && (
        <div>
          <dt>{words.explains}</dt>
          <dd>
            <Go to={recordAddress(record)}>{properties["sonde:recordTitle"] ?? record}</Go>
          </dd>
        </div>
      )}
      {origin && (
        <div>
          <dt>{words.origin}</dt>
          <dd>
            <Outside href={origin}>{origin}</Outside>
          </dd>
        </div>
      )}
    </dl>
  );
}

function References({ texts }: { texts: readonly string[] }) {
  const words = useWords().document;
  if (texts.length === 0) return null;
  return (
    <details>
      <summary>{words.references({ n: texts.length })}</summary>
      <ol>
        {texts.map((text, index) => (
          <li key={index}>{text}</li>
        ))}
      </ol>
    </details>
  );
}

function Missing({ withKey }: { withKey: boolean }) {
  const words = useWords().document;
  return (
    <section class="note">
      <h1>{words.missing}</h1>
      <p>{words.missingHelp}</p>
      {!withKey && <SignIn />}
    </section>
  );
}
