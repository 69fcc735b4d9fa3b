// The small pictures of records, from the service: it fetches what the metadata name and redraws it.

import { sent } from "../api.ts";
import { savesData } from "../shell/savesData.ts";
import type { Feature } from "../types.ts";
import { itemAddress } from "./useRecord.ts";

const FAILURES = 4;

let [good, bad] = [0, 0];

/** Not for users who save data, and not where the first pictures could not be had: the service may have none at all. */
export function showsPictures(): boolean {
  return !savesData() && (good > 0 || bad < FAILURES);
}

/** Whether the metadata name a picture; it may not be there any more. */
export function namesPicture(feature: Feature): boolean {
  return (feature.links ?? []).some(({ rel, href }) => (rel === "preview" || rel === "icon") && /^https?:/i.test(href));
}

/** As a data URL, because an `img` request would not send the key; null if it cannot be had. */
export async function pictureOf(id: string, signal: AbortSignal): Promise<string | null> {
  try {
    const answer = await sent(itemAddress(id, "/preview"), { headers: { Accept: "image/webp" }, signal });
    const url = await dataUrl(await answer.blob());
    good += 1;
    return url;
  } catch {
    if (!signal.aborted) bad += 1;
    return null;
  }
}

function dataUrl(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
}
