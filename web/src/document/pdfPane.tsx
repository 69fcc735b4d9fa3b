// The document's file in pdf.js' viewer, with the cited sentence marked.

import { useEffect, useRef, useState } from "preact/hooks";
import { Outside } from "../shell/outside.tsx";
import { useLocale, useWords } from "../words/index.ts";
import type { Mark } from "./document.ts";
import type { OpenPdf, PdfState } from "./pdf.ts";
import { type PdfWords, usePdfWords } from "./words/index.ts";

interface Props {
  address: string;
  marks: readonly Mark[];
  /** Where to begin. */
  page: number;
  /** The file elsewhere, if there is one. */
  origin: string | null;
}

interface ViewerProps extends Props {
  words: PdfWords;
}

const ZOOMS = ["0.5", "0.75", "1", "1.25", "1.5", "2", "3"];
const NOT_OPEN: PdfState = { page: 1, pages: 0, zoom: "page-width", scale: 1, textless: false, matches: null };
/** What pdf.js throws for a file with a password. */
const LOCKED = "PasswordException";

export function PdfPane(props: Props) {
  const loading = useWords().document.loading;
  const words = usePdfWords(useLocale());
  return words === null ? <p role="status">{loading}</p> : <PdfViewer words={words} {...props} />;
}

function PdfViewer({ address, marks, page, origin, words }: ViewerProps) {
  const { file, loading, openOriginal } = useWords().document;
  const frame = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState(NOT_OPEN);
  const [pdf, setPdf] = useState<OpenPdf | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    let gone = false;
    let opened: OpenPdf | null = null;
    const open = async () => {
      const { openPdf } = await import("./pdf.ts");
      if (gone || !frame.current) return;
      const nameOf = (n: number, all: number) => words.page({ n, all });
      opened = await openPdf(frame.current, { address, marks, page, nameOf }, (part) => gone || setState((before) => ({ ...before, ...part })));
      if (gone) opened.close();
      else setPdf(opened);
    };
    open().catch((error: unknown) => gone || setFailure(error instanceof Error && error.name === LOCKED ? words.locked : words.broken));
    return () => {
      gone = true;
      opened?.close();
    };
  }, [address]);
  if (failure !== null) {
    return (
      <p class="note">
        {failure} {origin && <Outside href={origin}>{openOriginal}</Outside>}
      </p>
    );
  }
  const keys = (event: KeyboardEvent) => {
    if (pdf && actOn(event, pdf, state, field.current)) event.preventDefault();
  };
  return (
    <section class="pdf" aria-label={file} aria-busy={state.pages === 0} onKeyDown={keys}>
      {state.pages === 0 && <p role="status">{loading}</p>}
      {pdf && state.pages > 0 && (
        <div class="row" role="toolbar" aria-label={words.tools}>
          <PageField pdf={pdf} state={state} words={words} />
          <ZoomField pdf={pdf} state={state} words={words} />
          <FindField pdf={pdf} state={state} words={words} field={field} />
          {marks.length > 0 && (
            <button type="button" onClick={pdf.toMark}>
              {words.toMark}
            </button>
          )}
        </div>
      )}
      {state.textless && <p class="soft small" role="status">{words.textless}</p>}
      <div class="pdf-frame">
        <div class="pdf-scroll" ref={frame} tabIndex={0} role="group" aria-label={words.pagesOf} aria-describedby="pdf-keys">
          <div class="pdfViewer" />
        </div>
      </div>
      <p class="soft small" id="pdf-keys">{words.keys}</p>
    </section>
  );
}

/** Keys inside of the viewer; whether it was one of them. */
function actOn(event: KeyboardEvent, pdf: OpenPdf, { page, pages }: PdfState, field: HTMLInputElement | null): boolean {
  const { key, ctrlKey, metaKey, altKey, target } = event;
  if ((ctrlKey || metaKey) && key === "f") {
    field?.focus();
    field?.select();
    return true;
  }
  if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement) || target.matches("input, select, button")) return false;
  const acts: Record<string, () => void> = {
    n: () => pdf.goTo(page + 1),
    p: () => pdf.goTo(page - 1),
    Home: () => pdf.goTo(1),
    End: () => pdf.goTo(pages),
    "+": () => pdf.zoomBy(1),
    "-": () => pdf.zoomBy(-1),
    "0": () => pdf.zoomTo("page-width"),
  };
  acts[key]?.();
  return Object.hasOwn(acts, key);
}

interface FieldProps {
  pdf: OpenPdf;
  state: PdfState;
  words: PdfWords;
}

function PageField({ pdf, state: { page, pages }, words }: FieldProps) {
  const [typed, setTyped] = useState<string | null>(null); // what is being written stays while pages are drawn
  return (
    <>
      <button type="button" disabled={page <= 1} aria-label={words.previous} onClick={() => pdf.goTo(page - 1)}>
        ←
      </button>
      <label>
        {words.pageField}
        <input
          type="number"
          min={1}
          max={pages}
          value={typed ?? page}
          onInput={(event) => setTyped(event.currentTarget.value)}
          onChange={(event) => {
            const wanted = event.currentTarget.valueAsNumber;
            if (Number.isInteger(wanted)) pdf.goTo(wanted);
            setTyped(null);
          }}
        />
        {words.ofPages({ all: pages })}
      </label>
      <button type="button" disabled={page >= pages} aria-label={words.next} onClick={() => pdf.goTo(page + 1)}>
        →
      </button>
      <span class="unseen" role="status">{words.page({ n: page, all: pages })}</span>
    </>
  );
}

function ZoomField({ pdf, state: { zoom, scale }, words }: FieldProps) {
  const percent = new Intl.NumberFormat(useLocale(), { style: "percent" });
  const listed = ["page-width", "page-fit", ...ZOOMS].includes(zoom);
  return (
    <>
      <button type="button" aria-label={words.smaller} onClick={() => pdf.zoomBy(-1)}>
        −
      </button>
      <label>
        <span class="unseen">{words.zoom}</span>
        <select value={zoom} onChange={(event) => pdf.zoomTo(event.currentTarget.value)}>
          <option value="page-width">{words.pageWidth}</option>
          <option value="page-fit">{words.wholePage}</option>
          {!listed && <option value={zoom}>{percent.format(scale)}</option>}
          {ZOOMS.map((one) => (
            <option key={one} value={one}>
              {percent.format(Number(one))}
            </option>
          ))}
        </select>
      </label>
      <button type="button" aria-label={words.larger} onClick={() => pdf.zoomBy(1)}>
        +
      </button>
    </>
  );
}

function FindField({ pdf, state: { matches }, words, field }: FieldProps & { field: { current: HTMLInputElement | null } }) {
  const [text, setText] = useState("");
  const wanted = text.trim();
  const write = (value: string) => {
    setText(value);
    pdf.find(value.trim());
  };
  return (
    <form role="search" class="row" aria-label={words.find} onSubmit={(event) => event.preventDefault()}>
      <label>
        <span class="unseen">{words.find}</span>
        <input
          ref={field}
          type="search"
          value={text}
          placeholder={words.find}
          autocomplete="off"
          onInput={(event) => write(event.currentTarget.value)}
          onKeyDown={(event) => event.key === "Enter" && wanted && pdf.findNext(wanted, event.shiftKey)}
        />
      </label>
      {wanted && (
        <>
          <button type="button" aria-label={words.matchBefore} onClick={() => pdf.findNext(wanted, true)}>
            ↑
          </button>
          <button type="button" aria-label={words.matchAfter} onClick={() => pdf.findNext(wanted, false)}>
            ↓
          </button>
        </>
      )}
      <span role="status" class="soft small">{wanted && (matches === null ? words.looking : matches.total === 0 ? words.noMatch : words.matches(matches))}</span>
    </form>
  );
}
