// Condividere, conservare ed esportare un elenco di risultati, in italiano.

import { numbersIn } from "../../words/numbers.ts";
import type { KeepWords } from "./en.ts";

const { count, whole } = numbersIn("it");

export const words: KeepWords = {
  share: "Condividere questa ricerca",
  export: "Salvare l’elenco in un file",
  exportHelp: (n) => `${count(n, "scheda", "schede", "di schede")}, nell’ordine dell’elenco.`,
  exporting: (done, all) => `${whole(done)} di ${whole(all)} ricevute …`,
  exported: (n) => `Salvato: ${count(n, "scheda", "schede", "di schede")}.`,
  stop: "Fermare",
  asFile: (format) => `Salvare come ${format}`,
  watch: "Ricevere avvisi sulle novità",
  watchHelp: "Il servizio conserva questa ricerca e avvisa delle novità.",
  title: "Nome della ricerca",
  every: "Ogni quanto",
  day: "ogni giorno",
  week: "ogni settimana, di lunedì",
  mail: "Indirizzo e-mail, se si desiderano messaggi",
  mailHelp: "L’indirizzo si conferma con un link in un primo messaggio.",
  changes: "Anche le schede modificate, non solo le nuove",
  keep: "Conservare questa ricerca",
  kept: "La ricerca è conservata.",
  confirm: "Confermare l’indirizzo con il link nel messaggio.",
  own: "Le ricerche conservate",
  none: "Non ce ne sono ancora.",
  feed: "Feed (Atom)",
  feedOf: (title) => `Feed di ${title}`,
  remove: "Eliminare",
  removeOf: (title) => `Eliminare la ricerca ${title}`,
  really: "Eliminare davvero?",
  removed: "Eliminata.",
};

export const same = ["Feed (Atom)"];
