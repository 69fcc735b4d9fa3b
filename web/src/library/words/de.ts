// German.

import { numbersIn } from "../../words/numbers.ts";
import type { OwnWords } from "./en.ts";

const { count } = numbersIn("de");
const documents = (n: number) => count(n, "Dokument", "Dokumente");

export const words: OwnWords = {
  parts: { documents: "Dokumente", collections: "Sammlungen", compare: "Vergleichen", conversations: "Gespräche" },
  nothing: "Hier ist noch nichts.",
  really: "Wirklich?",
  save: "Speichern",
  edit: "Ändern",

  sort: "Sortieren nach",
  sorts: {
    "created desc": "neueste", "created asc": "älteste", "name asc": "Dateiname", "published desc": "Erscheinen", "bytes desc": "Größe", "state asc": "Zustand",
  },
  upload: "Datei hochladen",
  uploadOf: (name) => `Die Datei von ${name} hochladen`,
  retry: "Noch einmal",
  retryOf: (name) => `${name} noch einmal lesen`,
  stop: "Anhalten",
  stopOf: (name) => `${name} nicht weiter lesen und löschen`,

  choose: (name) => `${name} auswählen`,
  chosen: (n) => `${documents(n)} ausgewählt`,
  chooseNone: "Auswahl aufheben",
  askThese: "Diese fragen",
  compareThese: "Diese vergleichen",
  atMostCompared: "Höchstens zwanzig lassen sich vergleichen.",
  putInto: "Legen in",
  put: "Hineinlegen",
  isIn: (n, name) => `${documents(n)} in ${name} gelegt.`,

  collectionsHelp: "Eine Sammlung enthält eigene und öffentliche Dokumente. Sie können sie befragen, ihre Dokumente vergleichen und sie mit einer Ihrer Gruppen teilen.",
  newCollection: "Neue Sammlung",
  newDots: "Neue Sammlung …",
  name: "Name",
  description: "Beschreibung",
  make: "Anlegen",
  documents,
  sharedWith: (groups) => `geteilt mit ${groups}`,
  sharedBy: (groups) => `geteilt von einem Mitglied von ${groups}`,
  shareWith: "Teilen mit",
  shareHelp: "Mitglieder dieser Gruppen können die Dokumente der Sammlung, ihre Dateien und Antworten daraus lesen, und sonst nichts von Ihnen.",
  noGroups: "Sie sind in keiner Gruppe; die Sammlung gehört deshalb Ihnen allein.",
  askIt: "Sammlung fragen",
  compareIt: "Ihre Dokumente vergleichen",
  remove: "Löschen",
  removeOf: (name) => `${name} löschen`,
  takeOut: "Herausnehmen",
  takeOutOf: (name) => `${name} aus der Sammlung nehmen`,
  gone: (n) => `${documents(n)} gelöscht oder für die Besitzerin nicht mehr sichtbar.`,
  emptyCollection: "Sie hat noch keine Dokumente. Wählen Sie welche unter Dokumente aus und legen Sie sie hinein.",
  yours: "nur für Sie",

  compareHelp: "Dieselben Fragen an jedes von bis zu zwanzig Dokumenten: eine Tabelle mit einer belegten Antwort in jedem Feld.",
  compareWhich: "Wählen Sie eine Sammlung, oder Dokumente unter Dokumente.",
  collection: "Sammlung",
  open: "Öffnen",
  questions: "Fragen, eine je Zeile, höchstens fünf",
  compare: "Vergleichen",
  halt: "Anhalten",
  answered: (n) => `Bisher ${documents(n)} beantwortet`,
  complete: (n) => (n === 1 ? "1 Dokument beantwortet." : `Alle ${documents(n)} beantwortet.`),
  leftOut: (n) => `${documents(n)} über die ersten zwanzig hinaus ausgelassen.`,
  document: "Dokument",
  noAnswer: "keine Antwort gefunden",
  saveCsv: "Als CSV speichern",
  cites: (title, page) => `${title} auf Seite ${page} öffnen`,
  citesWhole: (title) => `${title} an der Textstelle öffnen`,
  page: (n) => `S. ${n}`,
  passage: "Textstelle",
  pages: "Seiten",
  table: "Antworten der Dokumente",

  conversationsHelp: "Was Sie gefragt und aufbewahrt haben. Nur Sie sehen es.",
  turns: (n) => count(n, "Frage", "Fragen"),
  forgetAll: "Alle löschen",
  forgotten: (n) => `${count(n, "Gespräch", "Gespräche")} gelöscht.`,
  newQuestion: "Neue Frage",
};

export const same = ["Name"];
