// Spanish.

import { numbersIn } from "../../words/numbers.ts";
import type { OwnWords } from "./en.ts";

const { count } = numbersIn("es");
const documents = (n: number) => count(n, "documento", "documentos");

export const words: OwnWords = {
  parts: { documents: "Documentos", collections: "Colecciones", compare: "Comparar", conversations: "Conversaciones" },
  nothing: "Aún no hay nada.",
  really: "¿De verdad?",
  save: "Guardar",
  edit: "Cambiar",

  sort: "Ordenar por",
  sorts: {
    "created desc": "más nuevos", "created asc": "más antiguos", "name asc": "nombre", "published desc": "publicación", "bytes desc": "tamaño", "state asc": "estado",
  },
  upload: "Subir su archivo",
  uploadOf: (name) => `Subir el archivo de ${name}`,
  retry: "Reintentar",
  retryOf: (name) => `Leer ${name} otra vez`,
  stop: "Detener",
  stopOf: (name) => `Dejar de leer ${name} y borrarlo`,

  choose: (name) => `Elegir ${name}`,
  chosen: (n) => `Elegidos: ${documents(n)}`,
  chooseNone: "No elegir ninguno",
  askThese: "Preguntarles",
  compareThese: "Compararlos",
  atMostCompared: "Se pueden comparar veinte como máximo.",
  putInto: "Poner en",
  put: "Poner",
  isIn: (n, name) => `Puestos en ${name}: ${documents(n)}.`,

  collectionsHelp: "Una colección reúne documentos suyos y públicos. Puede preguntarle, comparar sus documentos y compartirla con un grupo suyo.",
  newCollection: "Colección nueva",
  newDots: "Colección nueva …",
  name: "Nombre",
  description: "Descripción",
  make: "Crear",
  documents,
  sharedWith: (groups) => `compartida con ${groups}`,
  sharedBy: (groups) => `compartida por un miembro de ${groups}`,
  shareWith: "Compartir con",
  shareHelp: "Los miembros de estos grupos pueden leer los documentos de la colección, sus archivos y las respuestas que salen de ellos, y nada más de usted.",
  noGroups: "No está en ningún grupo, así que la colección es solo suya.",
  askIt: "Preguntarle",
  compareIt: "Comparar sus documentos",
  remove: "Borrar",
  removeOf: (name) => `Borrar ${name}`,
  takeOut: "Sacar",
  takeOutOf: (name) => `Sacar ${name} de la colección`,
  gone: (n) => `Borrados, o ya ocultos para su dueño: ${documents(n)}.`,
  emptyCollection: "Aún no tiene documentos. Elija algunos en Documentos y póngalos dentro.",
  yours: "solo suya",

  compareHelp: "Las mismas preguntas a cada uno de hasta veinte documentos: una tabla con una respuesta citada en cada celda.",
  compareWhich: "Elija una colección, o documentos en Documentos.",
  collection: "Colección",
  open: "Abrir",
  questions: "Preguntas, una por línea, cinco como máximo",
  compare: "Comparar",
  halt: "Detener",
  answered: (n) => `Respondidos hasta ahora: ${documents(n)}`,
  complete: (n) => `Todo respondido: ${documents(n)}.`,
  leftOut: (n) => `Omitidos tras los veinte primeros: ${documents(n)}.`,
  document: "Documento",
  noAnswer: "ninguna respuesta encontrada",
  saveCsv: "Guardar como CSV",
  cites: (title, page) => `Abrir ${title}, página ${page}`,
  citesWhole: (title) => `Abrir ${title} en el pasaje`,
  page: (n) => `pág. ${n}`,
  passage: "pasaje",
  pages: "Páginas",
  table: "Respuestas de los documentos",

  conversationsHelp: "Lo que preguntó y guardó. Solo usted lo ve.",
  turns: (n) => count(n, "pregunta", "preguntas"),
  forgetAll: "Borrar todas",
  forgotten: (n) => `${count(n, "conversación borrada", "conversaciones borradas")}.`,
  newQuestion: "Pregunta nueva",
};
