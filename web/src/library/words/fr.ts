// French.

import { numbersIn } from "../../words/numbers.ts";
import type { OwnWords } from "./en.ts";

const { count } = numbersIn("fr");
const documents = (n: number) => count(n, "document", "documents");

export const words: OwnWords = {
  parts: { documents: "Documents", collections: "Collections", compare: "Comparer", conversations: "Conversations" },
  nothing: "Rien pour l’instant.",
  really: "Vraiment ?",
  save: "Enregistrer",
  edit: "Modifier",

  sort: "Trier par",
  sorts: {
    "created desc": "plus récents", "created asc": "plus anciens", "name asc": "nom", "published desc": "parution", "bytes desc": "taille", "state asc": "état",
  },
  upload: "Envoyer son fichier",
  uploadOf: (name) => `Envoyer le fichier de ${name}`,
  retry: "Réessayer",
  retryOf: (name) => `Lire ${name} à nouveau`,
  stop: "Arrêter",
  stopOf: (name) => `Arrêter la lecture de ${name} et le supprimer`,

  choose: (name) => `Choisir ${name}`,
  chosen: (n) => `Choix : ${documents(n)}`,
  chooseNone: "Ne rien choisir",
  askThese: "Les interroger",
  compareThese: "Les comparer",
  atMostCompared: "Vingt au plus peuvent être comparés.",
  putInto: "Mettre dans",
  put: "Y mettre",
  isIn: (n, name) => `Mis dans ${name} : ${documents(n)}.`,

  collectionsHelp: "Une collection réunit vos documents et des documents publics. Vous pouvez l’interroger, comparer ses documents et la partager avec un de vos groupes.",
  newCollection: "Nouvelle collection",
  newDots: "Nouvelle collection …",
  name: "Nom",
  description: "Résumé",
  make: "Créer",
  documents,
  sharedWith: (groups) => `partagée avec ${groups}`,
  sharedBy: (groups) => `partagée par un membre de ${groups}`,
  shareWith: "Partager avec",
  shareHelp: "Les membres de ces groupes peuvent lire les documents de la collection, leurs fichiers et les réponses qui en viennent, et rien d’autre de vous.",
  noGroups: "Vous n’êtes dans aucun groupe : la collection n’est qu’à vous.",
  askIt: "L’interroger",
  compareIt: "Comparer ses documents",
  remove: "Supprimer",
  removeOf: (name) => `Supprimer ${name}`,
  takeOut: "Retirer",
  takeOutOf: (name) => `Retirer ${name} de la collection`,
  gone: (n) => `Supprimés, ou cachés désormais à leur propriétaire : ${documents(n)}.`,
  emptyCollection: "Elle n’a pas encore de documents. Choisissez-en sous Documents, puis mettez-les dedans.",
  yours: "à vous seul",

  compareHelp: "Les mêmes questions à chacun de vingt documents au plus : un tableau avec une réponse citée dans chaque case.",
  compareWhich: "Choisissez une collection, ou des documents sous Documents.",
  collection: "Collection",
  open: "Ouvrir",
  questions: "Questions, une par ligne, cinq au plus",
  compare: "Comparer",
  halt: "Arrêter",
  answered: (n) => `Déjà répondu : ${documents(n)}`,
  complete: (n) => `Réponses complètes : ${documents(n)}.`,
  leftOut: (n) => `Laissés de côté après les vingt premiers : ${documents(n)}.`,
  document: "Document",
  noAnswer: "aucune réponse trouvée",
  saveCsv: "Enregistrer en CSV",
  cites: (title, page) => `Ouvrir ${title}, à la page ${page}`,
  citesWhole: (title) => `Ouvrir ${title} au passage`,
  page: (n) => `p. ${n}`,
  passage: "extrait",
  pages: "Pages",
  table: "Réponses des documents",

  conversationsHelp: "Ce que vous avez demandé et gardé. Vous seul le voyez.",
  turns: (n) => count(n, "demande", "demandes"),
  forgetAll: "Tout supprimer",
  forgotten: (n) => `Conversations supprimées : ${n}.`,
  newQuestion: "Nouvelle question",
};

export const same = ["p.", "document", "documents", "Documents", "Collections", "Conversations", "Collection", "Document", "Pages"];
