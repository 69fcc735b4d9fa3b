// Collections and conversations of /library.

import { getJson, sendJson, sent } from "../api.ts";

export interface Member {
  id: string;
  title: string;
  private: boolean;
}

export interface Collection {
  id: string;
  name: string;
  description: string;
  /** The user may change it. */
  own: boolean;
  groups: string[];
  updated: string;
  numberOfDocuments: number;
  documents?: Member[];
  /** Documents that were deleted, or are hidden now. */
  gone?: number;
}

export interface Collections {
  collections: Collection[];
  /** The user's own groups, with which a collection can be shared. */
  groups: string[];
}

export interface Conversation {
  id: string;
  title: string;
  numberOfTurns: number;
  updated: string;
}

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

export function made(name: string, documents: readonly string[]): Promise<Collection> {
  return sendJson("POST", COLLECTIONS, { name, documents });
}

export interface CollectionChange {
  name?: string;
  description?: string;
  add?: readonly string[];
  remove?: readonly string[];
  groups?: readonly string[];
}

export function changedCollection(id: string, change: CollectionChange): Promise<Collection> {
  return sendJson("PATCH", collectionCall(id), change);
}

export async function deleted(address: string): Promise<void> {
  await sent(address, { method: "DELETE" });
}

/** Only those that the user may change. */
export async function ownCollections(signal: AbortSignal): Promise<Collection[]> {
  return (await getJson<Collections>(COLLECTIONS, signal)).collections.filter((one) => one.own);
}
