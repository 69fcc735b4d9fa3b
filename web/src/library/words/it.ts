// Italian.

import { numbersIn } from "../../words/numbers.ts";
import type { OwnWords } from "./en.ts";

const { count } = numbersIn("it");
const documents = (n: number) => count(n, "documento", "documenti");

export const words: OwnWords = {
  parts: { documents: "Documenti", collections: "Raccolte", compare: "Confronta", conversations: "Conversazioni" },
  nothing: "Ancora niente.",
  really: "Davvero?",
  save: "Salva",
  edit: "Modifica",

  sort: "Ordina per",
  sorts: {
    "created desc": "più recenti", "created asc": "più vecchi", "name asc": "nome", "published desc": "pubblicazione", "bytes desc": "dimensione", "state asc": "stato",
  },
  upload: "Carica il suo file",
  uploadOf: (name) => `Carica il file di ${name}`,
  retry: "Riprova",
  retryOf: (name) => `Leggi di nuovo ${name}`,
  stop: "Ferma",
  stopOf: (name) => `Ferma la lettura di ${name} ed eliminalo`,

  choose: (name) => `Scegli ${name}`,
  chosen: (n) => `Scelti: ${documents(n)}`,
  chooseNone: "Nessuna scelta",
  askThese: "Interrogali",
  compareThese: "Confrontali",
  atMostCompared: "Se ne possono confrontare al massimo venti.",
  putInto: "Metti in",
  put: "Metti",
  isIn: (n, name) => `Messi in ${name}: ${documents(n)}.`,

  collectionsHelp: "Una raccolta contiene documenti Suoi e pubblici. Può interrogarla, confrontare i suoi documenti e condividerla con un Suo gruppo.",
  newCollection: "Nuova raccolta",
  newDots: "Nuova raccolta …",
  name: "Nome",
  description: "Descrizione",
  make: "Crea",
  documents,
  sharedWith: (groups) => `condivisa con ${groups}`,
  sharedBy: (groups) => `condivisa da un membro di ${groups}`,
  shareWith: "Condividi con",
  shareHelp: "I membri di questi gruppi possono leggere i documenti della raccolta, i loro file e le risposte che ne vengono, e nient’altro di Suo.",
  noGroups: "Lei non è in nessun gruppo: la raccolta è solo Sua.",
  askIt: "Interrogala",
  compareIt: "Confronta i suoi documenti",
  remove: "Elimina",
  removeOf: (name) => `Elimina ${name}`,
  takeOut: "Togli",
  takeOutOf: (name) => `Togli ${name} dalla raccolta`,
  gone: (n) => `Eliminati, o ora nascosti al proprietario: ${documents(n)}.`,
  emptyCollection: "Non ha ancora documenti. Ne scelga alcuni sotto Documenti e li metta dentro.",
  yours: "solo Sua",

  compareHelp: "Le stesse domande a ciascuno di venti documenti al massimo: una tabella con una risposta citata in ogni cella.",
  compareWhich: "Scelga una raccolta, o dei documenti sotto Documenti.",
  collection: "Raccolta",
  open: "Apri",
  questions: "Domande, una per riga, al massimo cinque",
  compare: "Confronta",
  halt: "Ferma",
  answered: (n) => `Risposto finora: ${documents(n)}`,
  complete: (n) => `Risposte complete: ${documents(n)}.`,
  leftOut: (n) => `Lasciati fuori dopo i primi venti: ${documents(n)}.`,
  document: "Documento",
  noAnswer: "nessuna risposta trovata",
  saveCsv: "Salva come CSV",
  cites: (title, page) => `Apri ${title}, pagina ${page}`,
  citesWhole: (title) => `Apri ${title} al brano`,
  page: (n) => `pag. ${n}`,
  passage: "brano",
  pages: "Pagine",
  table: "Risposte dei documenti",

  conversationsHelp: "Ciò che ha chiesto e conservato. Lo vede solo Lei.",
  turns: (n) => count(n, "domanda", "domande"),
  forgetAll: "Elimina tutte",
  forgotten: (n) => `${count(n, "conversazione eliminata", "conversazioni eliminate")}.`,
  newQuestion: "Nuova domanda",
};
