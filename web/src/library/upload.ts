// Sends one file and reports its progress. fetch has no upload progress, so this uses XMLHttpRequest.

import { Problem, problemOf } from "../api.ts";
import { freshAuthorization } from "../session.ts";

/** A new document, or the file of the document `id`. `tell` is called with the share that was sent, 0..1. Throws Problem. */
export async function upload(file: File, tell: (share: number) => void, id?: string): Promise<void> {
  const credential = await freshAuthorization();
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open(id === undefined ? "POST" : "PUT", id === undefined ? "library/documents" : `library/documents/${id}/file`);
    request.setRequestHeader("Accept", "application/json");
    for (const [name, value] of Object.entries(credential)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && tell(event.loaded / event.total);
    request.onerror = () => failed(new Problem(0, ""));
    request.onload = () => {
      if (request.status >= 200 && request.status < 300) done();
      else failed(problemOf(request.status, request.responseText, request.statusText));
    };
    const form = new FormData();
    form.append("file", file);
    request.send(form);
  });
}
