// Shows pages of a PDF with pdf.js. Loaded only where a file is shown; it runs no code of the file.

import { getDocument, GlobalWorkerOptions, type PDFDocumentProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { freshAuthorization } from "../session.ts";

GlobalWorkerOptions.workerSrc = new URL("page/pdf-worker.js", document.baseURI).href;

const CHUNK = 1 << 19;
const MOST_PIXELS = 4096 * 4096;

export interface OpenPdf {
  pages: number;
  /** Draws a page as wide as the canvas's parent; returns CSS pixels for each point. */
  draw(canvas: HTMLCanvasElement, page: number, width: number): Promise<number>;
  close(): void;
}

/** Reads only the parts of the file that are shown, where the service can send parts. */
export async function openPdf(address: string): Promise<OpenPdf> {
  const task = getDocument({
    url: new URL(address, document.baseURI).href,
    httpHeaders: await freshAuthorization(),
    rangeChunkSize: CHUNK,
    disableAutoFetch: true,
    disableStream: true,
    isEvalSupported: false,
    enableXfa: false,
    useWasm: false,
    verbosity: 0,
  });
  const pdf = await task.promise;
  return { pages: pdf.numPages, draw: (canvas, page, width) => draw(pdf, canvas, page, width), close: () => void task.destroy() };
}

async function draw(pdf: PDFDocumentProxy, canvas: HTMLCanvasElement, number: number, width: number): Promise<number> {
  const page = await pdf.getPage(number);
  const natural = page.getViewport({ scale: 1 });
  const scale = width / natural.width;
  const dense = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (width * natural.height * scale)));
  const viewport = page.getViewport({ scale: scale * dense });
  canvas.width = Math.floor(viewport.width);
  canvas.height = Math.floor(viewport.height);
  await page.render({ canvas, viewport }).promise;
  return scale;
}
