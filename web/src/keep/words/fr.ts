// Partager, garder et exporter une liste de résultats, en français.

import { numbersIn } from "../../words/numbers.ts";
import type { KeepWords } from "./en.ts";

const { count, whole } = numbersIn("fr");

export const words: KeepWords = {
  share: "Partager cette recherche",
  export: "Enregistrer la liste dans un fichier",
  exportHelp: (n) => `${count(n, "fiche", "fiches", "de fiches")}, dans l’ordre de la liste.`,
  exporting: (done, all) => `${whole(done)} sur ${whole(all)} reçues …`,
  exported: (n) => `Enregistré : ${count(n, "fiche", "fiches", "de fiches")}.`,
  stop: "Arrêter",
  asFile: (format) => `Enregistrer en ${format}`,
  watch: "Être averti des nouveautés",
  watchHelp: "Le service garde cette recherche et annonce ce qui est nouveau.",
  title: "Nom de la recherche",
  every: "Fréquence",
  day: "chaque jour",
  week: "chaque semaine, le lundi",
  mail: "Adresse électronique, si vous voulez des messages",
  mailHelp: "Vous confirmez l’adresse par un lien dans un premier message.",
  changes: "Aussi les fiches modifiées, pas seulement les nouvelles",
  keep: "Garder cette recherche",
  kept: "La recherche est gardée.",
  confirm: "Confirmez l’adresse par le lien dans le message.",
  own: "Vos recherches gardées",
  none: "Il n’y en a pas encore.",
  feed: "Flux (Atom)",
  feedOf: (title) => `Flux de ${title}`,
  remove: "Supprimer",
  removeOf: (title) => `Supprimer la recherche ${title}`,
  really: "Vraiment supprimer ?",
  removed: "Supprimé.",
};
