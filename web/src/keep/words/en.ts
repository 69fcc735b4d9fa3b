// Sharing, saving and exporting a list of hits, in English.

import { numbersIn } from "../../words/numbers.ts";

const { count, whole } = numbersIn("en");

export const words = {
  share: "Share this search",
  export: "Save the list as a file",
  exportHelp: (n: number) => `${count(n, "record", "records")}, in the order of the list.`,
  exporting: (done: number, all: number) => `${whole(done)} of ${whole(all)} fetched …`,
  exported: (n: number) => `Saved: ${count(n, "record", "records")}.`,
  stop: "Stop",
  asFile: (format: string) => `Save as ${format}`,
  watch: "Be told of new records",
  watchHelp: "The service keeps this search and tells what is new.",
  title: "Name of the search",
  every: "How often",
  day: "each day",
  week: "each week, on Mondays",
  mail: "Mail address, if you want mails",
  mailHelp: "You confirm the address by a link in a first mail.",
  changes: "Changed records too, not only new ones",
  keep: "Keep this search",
  kept: "The search is kept.",
  confirm: "Confirm the address by the link in the mail.",
  own: "Your kept searches",
  none: "There are none yet.",
  feed: "Feed (Atom)",
  feedOf: (title: string) => `Feed of ${title}`,
  remove: "Delete",
  removeOf: (title: string) => `Delete the search ${title}`,
  really: "Really delete?",
  removed: "Deleted.",
};

export type KeepWords = typeof words;
