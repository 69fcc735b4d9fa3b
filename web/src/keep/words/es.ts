// Compartir, guardar y exportar una lista de resultados, en español.

import { numbersIn } from "../../words/numbers.ts";
import type { KeepWords } from "./en.ts";

const { count, whole } = numbersIn("es");

export const words: KeepWords = {
  share: "Compartir esta búsqueda",
  export: "Guardar la lista en un archivo",
  exportHelp: (n) => `${count(n, "registro", "registros", "de registros")}, en el orden de la lista.`,
  exporting: (done, all) => `${whole(done)} de ${whole(all)} recibidos …`,
  exported: (n) => `Guardado: ${count(n, "registro", "registros", "de registros")}.`,
  stop: "Detener",
  asFile: (format) => `Guardar como ${format}`,
  watch: "Recibir avisos de registros nuevos",
  watchHelp: "El servicio conserva esta búsqueda y avisa de lo nuevo.",
  title: "Nombre de la búsqueda",
  every: "Con qué frecuencia",
  day: "cada día",
  week: "cada semana, los lunes",
  mail: "Dirección de correo, si quiere recibir correos",
  mailHelp: "La dirección se confirma con un enlace en un primer correo.",
  changes: "También los registros modificados, no solo los nuevos",
  keep: "Conservar esta búsqueda",
  kept: "La búsqueda se ha conservado.",
  confirm: "Confirme la dirección con el enlace del correo.",
  own: "Sus búsquedas conservadas",
  none: "Todavía no hay ninguna.",
  feed: "Canal (Atom)",
  feedOf: (title) => `Canal de ${title}`,
  remove: "Borrar",
  removeOf: (title) => `Borrar la búsqueda ${title}`,
  really: "¿Borrar de verdad?",
  removed: "Borrada.",
};
