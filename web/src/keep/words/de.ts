// Teilen, Merken und Sichern einer Trefferliste, auf Deutsch.

import { numbersIn } from "../../words/numbers.ts";
import type { KeepWords } from "./en.ts";

const { count, whole } = numbersIn("de");

export const words: KeepWords = {
  share: "Diese Suche teilen",
  export: "Die Liste als Datei sichern",
  exportHelp: (n) => `${count(n, "Datensatz", "Datensätze")}, in der Reihenfolge der Liste.`,
  exporting: (done, all) => `${whole(done)} von ${whole(all)} geholt …`,
  exported: (n) => `Gesichert: ${count(n, "Datensatz", "Datensätze")}.`,
  stop: "Anhalten",
  asFile: (format) => `Als ${format} sichern`,
  watch: "Über neue Datensätze benachrichtigt werden",
  watchHelp: "Der Dienst merkt sich diese Suche und meldet, was neu ist.",
  title: "Name der Suche",
  every: "Wie oft",
  day: "jeden Tag",
  week: "jede Woche, montags",
  mail: "E-Mail-Adresse, falls Sie E-Mails wünschen",
  mailHelp: "Sie bestätigen die Adresse über einen Link in einer ersten E-Mail.",
  changes: "Auch geänderte Datensätze, nicht nur neue",
  keep: "Diese Suche merken",
  kept: "Die Suche ist gemerkt.",
  confirm: "Bestätigen Sie die Adresse über den Link in der E-Mail.",
  own: "Ihre gemerkten Suchen",
  none: "Es gibt noch keine.",
  feed: "Feed (Atom)",
  feedOf: (title) => `Feed von ${title}`,
  remove: "Löschen",
  removeOf: (title) => `Die Suche ${title} löschen`,
  really: "Wirklich löschen?",
  removed: "Gelöscht.",
};

export const same = ["Feed (Atom)"];
