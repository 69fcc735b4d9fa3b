// Shows a PDF with pdf.js and its viewer. Loaded only where a file is shown; it runs no code of the file.

import { AnnotationMode, getDocument, GlobalWorkerOptions } from "pdfjs-dist/legacy/build/pdf.mjs"; // first: the viewer takes it from the window
import { EventBus, FindState, LinkTarget, PDFFindController, PDFLinkService, type PDFPageView, PDFViewer } from "pdfjs-dist/legacy/web/pdf_viewer.mjs";
import { freshAuthorization } from "../session.ts";
import { styled } from "../shell/styled.ts";
import type { Mark } from "./document.ts";

GlobalWorkerOptions.workerSrc = new URL("page/pdf-worker.js", document.baseURI).href;

const STYLE = "page/pdf.css";
const CHUNK = 1 << 19;
const MOST_PIXELS = 4096 * 4096;
/** The page's own labels are set here, so pdf.js translates nothing. */
const NO_L10N = {
  getLanguage: () => "en",
  getDirection: () => "ltr",
  get: async () => "",
  translate: async () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};

export interface PdfState {
  page: number;
  pages: number;
  /** `page-width`, `page-fit`, or a number. */
  zoom: string;
  scale: number;
  /** The page shown has no text to select or to find. */
  textless: boolean;
  /** Of the words searched for; null while they are searched, and before. */
  matches: { current: number; total: number } | null;
}

export interface OpenPdf {
  goTo(page: number): void;
  zoomTo(zoom: string): void;
  zoomBy(steps: number): void;
  find(text: string): void;
  findNext(text: string, backwards: boolean): void;
  /** Scrolls to the first mark. */
  toMark(): void;
  close(): void;
}

interface Wanted {
  address: string;
  marks: readonly Mark[];
  /** Where to begin. */
  page: number;
  nameOf(page: number, pages: number): string;
}

/** `frame` holds one element for the pages. Reads only the parts of the file that are shown, where the service can send parts. */
export async function openPdf(frame: HTMLDivElement, wanted: Wanted, changed: (part: Partial<PdfState>) => void): Promise<OpenPdf> {
  const task = getDocument({
    url: new URL(wanted.address, document.baseURI).href,
    httpHeaders: await freshAuthorization(),
    rangeChunkSize: CHUNK,
    disableAutoFetch: true,
    disableStream: true,
    isEvalSupported: false,
    enableXfa: false,
    useWasm: false,
    verbosity: 0,
  });
  const [pdf] = await Promise.all([task.promise, styled(STYLE)]);
  const stop = new AbortController();
  const { events, viewer, links } = viewerIn(frame, stop.signal);
  const marked = markedIn(viewer, wanted.marks);
  const textless = new Set<number>();
  const showPage = (page: number) => changed({ page, textless: textless.has(page) });
  events.on("pagesinit", () => {
    for (let page = 1; page <= pdf.numPages; page++) viewer.getPageView(page - 1).div.setAttribute("aria-label", wanted.nameOf(page, pdf.numPages));
    viewer.currentScaleValue = "page-width";
    changed({ pages: pdf.numPages });
    if (wanted.page > 1) viewer.scrollPageIntoView({ pageNumber: Math.min(wanted.page, pdf.numPages) });
    showPage(viewer.currentPageNumber);
  });
  events.on("pagechanging", ({ pageNumber }: { pageNumber: number }) => showPage(pageNumber));
  events.on("pagerendered", ({ pageNumber }: { pageNumber: number }) => marked.draw(pageNumber));
  events.on("textlayerrendered", ({ pageNumber }: { pageNumber: number }) => {
    const hasText = viewer.getPageView(pageNumber - 1).div.querySelector(".textLayer span") !== null;
    if (hasText) textless.delete(pageNumber);
    else textless.add(pageNumber);
    showPage(viewer.currentPageNumber);
  });
  events.on("scalechanging", ({ scale, presetValue }: { scale: number; presetValue?: string }) => changed({ scale, zoom: presetValue ?? String(scale) }));
  const count = ({ matchesCount }: { matchesCount: { current: number; total: number } }) => changed({ matches: matchesCount });
  events.on("updatefindmatchescount", count);
  events.on("updatefindcontrolstate", (told: { state: number; matchesCount: { current: number; total: number } }) => {
    if (told.state === FindState.PENDING) changed({ matches: null });
    else count(told);
  });
  links.setDocument(pdf);
  viewer.setDocument(pdf);
  const resized = fitting(frame, viewer, marked.keepInView);
  const find = (text: string, type: string, backwards: boolean) =>
    events.dispatch("find", { source: stop, type, query: text, caseSensitive: false, entireWord: false, highlightAll: true, findPrevious: backwards, matchDiacritics: false });
  return {
    goTo: (page) => viewer.scrollPageIntoView({ pageNumber: Math.max(1, Math.min(page, pdf.numPages)) }),
    zoomTo: (zoom) =>
      marked.keepInView(() => {
        viewer.currentScaleValue = zoom;
      }),
    zoomBy: (steps) => marked.keepInView(() => viewer.updateScale({ steps })),
    find: (text) => find(text, "", false),
    findNext: (text, backwards) => find(text, "again", backwards),
    toMark: marked.show,
    close: () => {
      resized.disconnect();
      stop.abort();
      viewer.cleanup();
      void task.destroy();
    },
  };
}

function viewerIn(container: HTMLDivElement, abortSignal: AbortSignal) {
  const events = new EventBus();
  const links = new PDFLinkService({ eventBus: events, externalLinkTarget: LinkTarget.BLANK });
  const findController = new PDFFindController({ linkService: links, eventBus: events });
  const options = { container, eventBus: events, linkService: links, findController, l10n: NO_L10N, abortSignal };
  const viewer = new PDFViewer({ ...options, annotationMode: AnnotationMode.ENABLE, maxCanvasPixels: MOST_PIXELS, enableAutoLinking: false });
  links.setViewer(viewer);
  return { events, viewer, links };
}

/** Keeps the width that was chosen when the frame changes its own. */
function fitting(frame: HTMLElement, viewer: PDFViewer, keepInView: (change: () => void) => void): ResizeObserver {
  const observer = new ResizeObserver(() =>
    keepInView(() => {
      const chosen = viewer.currentScaleValue;
      if (Number.isNaN(Number(chosen))) viewer.currentScaleValue = chosen;
      viewer.update();
    }),
  );
  observer.observe(frame);
  return observer;
}

/** Marks lie on their page in shares of it, so that each zoom keeps them; pdf.js drops them when it draws a page again. */
function markedIn(viewer: PDFViewer, marks: readonly Mark[]) {
  const [first] = marks.filter(({ boxes }) => boxes.length > 0);
  let awaited = first !== undefined;
  /** Of the page of the first mark: how far down the mark lies; null until it is drawn. */
  let depth: number | null = null;
  const show = () => {
    if (!first) return;
    const mark = viewer.getPageView(first.page - 1)?.div.querySelector(".pdf-mark");
    awaited = !mark;
    if (mark) mark.scrollIntoView({ block: "center" });
    else viewer.scrollPageIntoView({ pageNumber: first.page });
  };
  const draw = (number: number) => {
    const view: PDFPageView = viewer.getPageView(number - 1);
    const boxes = marks.filter(({ page }) => page === number).flatMap((one) => one.boxes);
    if (boxes.length === 0 || !view.pdfPage) return;
    const size = view.pdfPage.getViewport({ scale: 1 });
    if (!view.div.querySelector(".pdf-marks")) view.div.append(layerOf(boxes, size));
    if (number !== first?.page) return;
    depth = (boxes[0]?.[1] ?? 0) / size.height;
    if (awaited) show();
  };
  /** A mark that the reader sees stays in view through a change of size. */
  const keepInView = (change: () => void) => {
    const { container } = viewer;
    const above = () => {
      if (!first || depth === null) return Number.NaN;
      const { top, height } = viewer.getPageView(first.page - 1).div.getBoundingClientRect();
      return top + depth * height - container.getBoundingClientRect().top;
    };
    const seen = above() >= 0 && above() <= container.clientHeight;
    change();
    if (seen) container.scrollTop += above() - container.clientHeight / 3;
  };
  return { draw, show, keepInView };
}

function layerOf(boxes: readonly Mark["boxes"][number][], { width, height }: { width: number; height: number }): HTMLElement {
  const layer = document.createElement("div");
  layer.className = "pdf-marks";
  layer.setAttribute("aria-hidden", "true");
  for (const [left, top, right, bottom] of boxes) {
    const mark = document.createElement("span");
    mark.className = "pdf-mark";
    const share = (part: number, whole: number) => `${(part / whole) * 100}%`;
    Object.assign(mark.style, { left: share(left, width), top: share(top, height), width: share(right - left, width), height: share(bottom - top, height) });
    layer.append(mark);
  }
  return layer;
}
