// Compartilhar, guardar e exportar uma lista de resultados, em português.

import { numbersIn } from "../../words/numbers.ts";
import type { KeepWords } from "./en.ts";

const { count, whole } = numbersIn("pt");

export const words: KeepWords = {
  share: "Compartilhar esta busca",
  export: "Salvar a lista em um arquivo",
  exportHelp: (n) => `${count(n, "registro", "registros", "de registros")}, na ordem da lista.`,
  exporting: (done, all) => `${whole(done)} de ${whole(all)} recebidos …`,
  exported: (n) => `Salvo: ${count(n, "registro", "registros", "de registros")}.`,
  stop: "Parar",
  asFile: (format) => `Salvar como ${format}`,
  watch: "Receber avisos de novos registros",
  watchHelp: "O serviço guarda esta busca e avisa o que há de novo.",
  title: "Nome da busca",
  every: "Com que frequência",
  day: "todos os dias",
  week: "toda semana, às segundas-feiras",
  mail: "Endereço de e-mail, se quiser mensagens",
  mailHelp: "O endereço é confirmado por um link em uma primeira mensagem.",
  changes: "Também registros alterados, não só os novos",
  keep: "Guardar esta busca",
  kept: "A busca foi guardada.",
  confirm: "Confirme o endereço pelo link na mensagem.",
  own: "Suas buscas guardadas",
  none: "Ainda não há nenhuma.",
  feed: "Feed (Atom)",
  feedOf: (title) => `Feed de ${title}`,
  remove: "Excluir",
  removeOf: (title) => `Excluir a busca ${title}`,
  really: "Excluir mesmo?",
  removed: "Excluída.",
};

export const same = ["Feed (Atom)"];
