// One page of the document's file, with the cited sentence marked.

import { useEffect, useRef, useState } from "preact/hooks";
import { useWords } from "../words/index.ts";
import type { Mark } from "./document.ts";
import type { OpenPdf } from "./pdf.ts";

interface Props {
  address: string;
  marks: readonly Mark[];
  /** Where to begin. */
  page: number;
}

export function PdfPane({ address, marks, page: first }: Props) {
  const words = useWords().document;
  const [pdf, setPdf] = useState<OpenPdf | null>(null);
  const [broken, setBroken] = useState(false);
  const [page, setPage] = useState(first);
  const [scale, setScale] = useState(0);
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => setPage(first), [first]);
  useEffect(() => {
    let gone = false;
    let opened: OpenPdf | null = null;
    const open = async () => {
      const { openPdf } = await import("./pdf.ts");
      opened = await openPdf(address);
      if (gone) opened.close();
      else setPdf(opened);
    };
    open().catch(() => !gone && setBroken(true));
    return () => {
      gone = true;
      opened?.close();
    };
  }, [address]);
  useEffect(() => {
    let gone = false;
    setScale(0);
    if (pdf && canvas.current && frame.current) {
      const fresh = canvas.current;
      pdf
        .draw(fresh, Math.min(page, pdf.pages), frame.current.clientWidth)
        .then((drawn) => !gone && setScale(drawn))
        .catch(() => !gone && setBroken(true));
    }
    return () => {
      gone = true;
    };
  }, [pdf, page]);
  const firstMark = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    if (scale > 0) firstMark.current?.scrollIntoView({ block: "center" });
  }, [scale, marks]);
  if (broken) return <p class="note">{words.broken}</p>;
  const boxes = marks.filter((one) => one.page === page).flatMap((one) => one.boxes);
  return (
    <section class="pdf" aria-label={words.file} aria-busy={scale === 0}>
      {pdf === null && <p role="status">{words.loading}</p>}
      {pdf !== null && (
        <p class="row">
          <button type="button" disabled={page <= 1} onClick={() => setPage(page - 1)}>
            {words.previous}
          </button>
          <span role="status">{words.page({ n: page, all: pdf.pages })}</span>
          <button type="button" disabled={page >= pdf.pages} onClick={() => setPage(page + 1)}>
            {words.next}
          </button>
        </p>
      )}
      <div class="pdf-page" ref={frame}>
        <canvas key={page} ref={canvas} role="img" aria-label={words.page({ n: page, all: pdf?.pages ?? page })} />
        {scale > 0 &&
          boxes.map(([left, top, right, bottom], index) => (
            <span
              key={index}
              ref={index === 0 ? firstMark : null}
              class="pdf-mark"
              aria-hidden="true"
              style={{
                left: `${left * scale}px`,
                top: `${top * scale}px`,
                width: `${(right - left) * scale}px`,
                height: `${(bottom - top) * scale}px`,
              }}
            />
          ))}
      </div>
    </section>
  );
}
