// English, and the list of all texts of the user's own documents that are loaded only with them.

import { numbersIn } from "../../words/numbers.ts";

const { count } = numbersIn("en");

export const words = {
  parts: { documents: "Documents", collections: "Collections", compare: "Compare", conversations: "Conversations" } as Record<string, string>,
  nothing: "Nothing here yet.",
  really: "Really?",
  save: "Save",
  edit: "Edit",

  sort: "Sort by",
  sorts: {
    "created desc": "newest", "created asc": "oldest", "name asc": "name", "published desc": "published", "bytes desc": "size", "state asc": "state",
  } as Record<string, string>,
  upload: "Upload its file",
  uploadOf: (name: string) => `Upload the file of ${name}`,
  retry: "Try again",
  retryOf: (name: string) => `Read ${name} again`,
  stop: "Stop",
  stopOf: (name: string) => `Stop reading ${name} and delete it`,

  choose: (name: string) => `Choose ${name}`,
  chosen: (n: number) => `${count(n, "document", "documents")} chosen`,
  chooseNone: "Choose none",
  askThese: "Ask them",
  compareThese: "Compare them",
  atMostCompared: "At most twenty can be compared.",
  putInto: "Put into",
  put: "Put in",
  isIn: (n: number, name: string) => `${count(n, "document", "documents")} put into ${name}.`,

  collectionsHelp: "A collection holds your own documents and public ones. You can ask it, compare its documents, and share it with a group of yours.",
  newCollection: "New collection",
  newDots: "New collection …",
  name: "Name",
  description: "Description",
  make: "Make it",
  documents: (n: number) => count(n, "document", "documents"),
  sharedWith: (groups: string) => `shared with ${groups}`,
  sharedBy: (groups: string) => `shared by a member of ${groups}`,
  shareWith: "Share with",
  shareHelp: "Members of these groups can read the documents of the collection, their files and answers from them, and nothing else of yours.",
  noGroups: "You are in no group, so the collection is yours alone.",
  askIt: "Ask it",
  compareIt: "Compare its documents",
  remove: "Delete",
  removeOf: (name: string) => `Delete ${name}`,
  takeOut: "Take out",
  takeOutOf: (name: string) => `Take ${name} out of the collection`,
  gone: (n: number) => `${count(n, "document", "documents")} deleted, or hidden from its owner now.`,
  emptyCollection: "It has no documents yet. Choose some under Documents, then put them in.",
  yours: "yours alone",

  compareHelp: "The same questions to each of up to twenty documents: a table with a cited answer in each cell.",
  compareWhich: "Choose a collection, or documents under Documents.",
  collection: "Collection",
  open: "Open",
  questions: "Questions, one a line, at most five",
  compare: "Compare",
  halt: "Stop",
  answered: (n: number) => `${count(n, "document", "documents")} answered so far`,
  complete: (n: number) => `All ${count(n, "document", "documents")} answered.`,
  leftOut: (n: number) => `${count(n, "document", "documents")} beyond the first twenty left out.`,
  document: "Document",
  noAnswer: "no answer found",
  saveCsv: "Save as CSV",
  cites: (title: string, page: number) => `Open ${title}, page ${page}`,
  citesWhole: (title: string) => `Open ${title} at the passage`,
  page: (n: number) => `p. ${n}`,
  passage: "passage",
  pages: "Pages",
  table: "Answers of the documents",

  conversationsHelp: "What you asked and chose to keep. Only you see it.",
  turns: (n: number) => count(n, "question", "questions"),
  forgetAll: "Delete all",
  forgotten: (n: number) => `${count(n, "conversation", "conversations")} deleted.`,
  newQuestion: "New question",
};

export type OwnWords = typeof words;
