// The address of a question: what is asked, where, and whether it is kept.

import type { Scope, Where } from "./answer.ts";

export interface Asking {
  question: string;
  where: Where;
  /** In a new conversation. */
  keep: boolean;
  /** The kept conversation to show. */
  conversation: string | null;
}

export const SCOPES: readonly Scope[] = ["public", "mine", "both"];
const ID = /^[0-9a-f]{32}$/;

export function askingOf(query: string): Asking {
  const said = new URLSearchParams(query);
  const id = (name: string) => (ID.test(said.get(name) ?? "") ? said.get(name) : null);
  const documents = (said.get("documents") ?? "").split(",").filter((one) => ID.test(one));
  const scope = SCOPES.find((one) => one === said.get("scope")) ?? "public";
  return {
    question: said.get("q")?.trim() ?? "",
    where: { scope, documents, collection: id("collection") },
    keep: said.has("keep"),
    conversation: id("conversation"),
  };
}

/** Relative to the root. A kept conversation knows itself where it asked. */
export function addressOf({ question, where, keep, conversation }: Asking): string {
  if (conversation !== null) return `answers?conversation=${conversation}`;
  const said = new URLSearchParams(question ? { q: question } : {});
  if (where.collection !== null) said.set("collection", where.collection);
  else if (where.scope !== "public") said.set("scope", where.scope);
  if (where.documents.length > 0) said.set("documents", where.documents.join());
  if (keep && question) said.set("keep", "1");
  return said.size ? `answers?${said}` : "answers";
}
