// One document: its progress or error, and its actions.

import { useRef, useState } from "preact/hooks";
import { asProblem, type Problem, sent } from "../api.ts";
import { documentAddress } from "../document/document.ts";
import { ProblemNote } from "../shell/problem.tsx";
import { Go } from "../shell/link.tsx";
import { saveFile } from "../shell/save.ts";
import { SureButton } from "../shell/sending.tsx";
import { bytesText } from "../sizes.ts";
import { edgeText } from "../times.ts";
import { useLocale, useWords } from "../words/index.ts";
import { ON_ITS_WAY, type OwnDocument } from "./documents.ts";
import { upload } from "./upload.ts";
import { useOwn } from "./words/index.ts";

interface Props {
  document: OwnDocument;
  chosen: boolean;
  choose: (yes: boolean) => void;
  changed: () => void;
}

export function DocumentRow({ document: one, chosen, choose, changed }: Props) {
  const words = useWords().library;
  const own = useOwn();
  const [problem, setProblem] = useState<Problem | null>(null);
  const name = nameOf(one);
  const ready = one.state === "ready";
  return (
    <li class="document">
      <div class="named">
        {ready && <input type="checkbox" checked={chosen} aria-label={own.choose({ name })} onChange={(event) => choose(event.currentTarget.checked)} />}
        <div>
          <h2>{ready ? <Go to={documentAddress(one.id)}>{name}</Go> : name}</h2>
          <Facts of={one} />
          {one.progress && <Progress {...one.progress} />}
          {one.state === "failed" && <p class="wrong-field" lang="en">{one.message ?? one.reason}</p>}
          {problem && <ProblemNote problem={problem} again={() => setProblem(null)} />}
        </div>
      </div>
      <span class={`badge ${one.state ?? ""}`}>{words.states[one.state ?? ""] ?? one.state}</span>
      <Actions of={one} changed={changed} failed={setProblem} />
    </li>
  );
}

export function nameOf(one: OwnDocument): string {
  return one.title || one.name || one.id;
}

function Facts({ of: one }: { of: OwnDocument }) {
  const words = useWords().library;
  const locale = useLocale();
  const facts = [
    one.title && one.title !== one.name ? one.name : "",
    one.authors?.join(", "),
    one.published?.slice(0, 4),
    [one.pages === undefined ? "" : words.factPages({ n: one.pages }), one.passages === undefined ? "" : words.factPassages({ n: one.passages })].filter(Boolean).join(", "),
    one.bytes === undefined ? "" : bytesText(one.bytes, locale),
    edgeText(one.created, locale, false),
  ];
  return <p class="facts">{facts.filter(Boolean).map((fact, index) => <span key={index}>{fact}</span>)}</p>;
}

interface ActionsProps {
  of: OwnDocument;
  changed: () => void;
  failed: (problem: Problem) => void;
}

function Actions({ of: one, changed, failed }: ActionsProps) {
  const words = useWords().library;
  const own = useOwn();
  const name = nameOf(one);
  const hasFile = one.links?.some((link) => link.rel === "enclosure") ?? false;
  const isUnder = ON_ITS_WAY.has(one.state ?? "");
  const attempt = (act: () => Promise<void>) => void act().catch((error: unknown) => failed(asProblem(error)));
  const fetchFile = async () => {
    const response = await sent(`library/documents/${one.id}/file`, {});
    saveFile(await response.blob(), one.name ?? one.id);
  };
  const retry = async () => {
    await sent(`library/documents/${one.id}/retry`, { method: "POST" });
    changed();
  };
  const remove = async () => {
    await sent(`library/documents/${one.id}`, { method: "DELETE" });
    changed();
  };
  return (
    <span class="row">
      {one.state === "failed" && one.retry && (
        <button type="button" aria-label={own.retryOf({ name })} onClick={() => attempt(retry)}>
          {own.retry}
        </button>
      )}
      {(one.state === "waiting" || one.state === "failed") && <UploadButton id={one.id} name={name} attempt={attempt} changed={changed} />}
      {hasFile && (
        <button type="button" aria-label={words.fileOf({ name })} onClick={() => attempt(fetchFile)}>
          {words.file}
        </button>
      )}
      <SureButton name={isUnder ? own.stop : words.remove} label={isUnder ? own.stopOf({ name }) : words.removeOf({ name })} really={words.really} act={() => attempt(remove)} />
    </span>
  );
}

interface UploadProps {
  id: string;
  name: string;
  attempt: (act: () => Promise<void>) => void;
  changed: () => void;
}

/** The file that a document lacks, or a better one. */
function UploadButton({ id, name, attempt, changed }: UploadProps) {
  const own = useOwn();
  const words = useWords().library;
  const field = useRef<HTMLInputElement>(null);
  const [share, setShare] = useState<number | null>(null);
  const send = async (file: File) => {
    setShare(0);
    try {
      await upload(file, setShare, id);
    } finally {
      setShare(null);
    }
    changed();
  };
  if (share !== null) return <progress max={1} value={share} aria-label={words.sending({ name, percent: Math.floor(share * 100) })} />;
  return (
    <>
      <button type="button" aria-label={own.uploadOf({ name })} onClick={() => field.current?.click()}>
        {own.upload}
      </button>
      <input
        ref={field}
        type="file"
        hidden
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = "";
          if (file) attempt(() => send(file));
        }}
      />
    </>
  );
}

function Progress({ done, total, unit }: { done: number; total: number; unit: "pages" | "passages" }) {
  const words = useWords().library;
  const said = unit === "pages" ? words.progressPages({ done, total }) : words.progressPassages({ done, total });
  return (
    <p class="soft small">
      <progress max={total} value={done} aria-label={said} /> {said}
    </p>
  );
}
