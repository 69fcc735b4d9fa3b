// Collections and conversations of /library.

import { getJson, sendJson, sent } from "../api.ts";
import type { CollectionBody, CollectionChange, LibraryCollection, LibraryCollections } from "../openapi.ts";

export const COLLECTIONS = "library/collections";
export const CONVERSATIONS = "library/conversations";
export const MOST_COMPARED = 20;

export function collectionCall(id: string): string {
  return `${COLLECTIONS}/${id}`;
}

export function collectionAddress(id: string): string {
  return `my-documents/collections/${id}`;
}

export function compareAddress(chosen: { collection: string } | { documents: readonly string[] }): string {
  const said = "collection" in chosen ? `collection=${chosen.collection}` : `documents=${chosen.documents.join()}`;
  return `my-documents/compare?${said}`;
}

export function made(name: string, documents: readonly string[]): Promise<LibraryCollection> {
  const body: CollectionBody = { name, documents: [...documents] };
  return sendJson("POST", COLLECTIONS, body);
}

export function changedCollection(id: string, change: CollectionChange): Promise<LibraryCollection> {
  return sendJson("PATCH", collectionCall(id), change);
}

export async function deleted(address: string): Promise<void> {
  await sent(address, { method: "DELETE" });
}

/** Only those that the user may change. */
export async function ownCollections(signal: AbortSignal): Promise<LibraryCollection[]> {
  return (await getJson<LibraryCollections>(COLLECTIONS, signal)).collections.filter((one) => one.own);
}
