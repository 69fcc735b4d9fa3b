// Portuguese.

import { numbersIn } from "../../words/numbers.ts";
import type { OwnWords } from "./en.ts";

const { count } = numbersIn("pt");
const documents = (n: number) => count(n, "documento", "documentos");

export const words: OwnWords = {
  parts: { documents: "Documentos", collections: "Coleções", compare: "Comparar", conversations: "Conversas" },
  nothing: "Ainda não há nada.",
  really: "Tem certeza?",
  save: "Salvar",
  edit: "Alterar",

  sort: "Ordenar por",
  sorts: {
    "created desc": "mais novos", "created asc": "mais antigos", "name asc": "nome", "published desc": "publicação", "bytes desc": "tamanho", "state asc": "estado",
  },
  upload: "Enviar o arquivo",
  uploadOf: (name) => `Enviar o arquivo de ${name}`,
  retry: "Tentar de novo",
  retryOf: (name) => `Ler ${name} de novo`,
  stop: "Parar",
  stopOf: (name) => `Parar de ler ${name} e excluí-lo`,

  choose: (name) => `Escolher ${name}`,
  chosen: (n) => `Escolhidos: ${documents(n)}`,
  chooseNone: "Não escolher nenhum",
  askThese: "Perguntar a eles",
  compareThese: "Compará-los",
  atMostCompared: "No máximo vinte podem ser comparados.",
  putInto: "Pôr em",
  put: "Pôr",
  isIn: (n, name) => `Postos em ${name}: ${documents(n)}.`,

  collectionsHelp: "Uma coleção reúne documentos seus e públicos. Você pode perguntar a ela, comparar seus documentos e compartilhá-la com um grupo seu.",
  newCollection: "Nova coleção",
  newDots: "Nova coleção …",
  name: "Nome",
  description: "Descrição",
  make: "Criar",
  documents,
  sharedWith: (groups) => `compartilhada com ${groups}`,
  sharedBy: (groups) => `compartilhada por um membro de ${groups}`,
  shareWith: "Compartilhar com",
  shareHelp: "Os membros destes grupos podem ler os documentos da coleção, seus arquivos e as respostas que vêm deles, e nada mais de você.",
  noGroups: "Você não está em nenhum grupo, então a coleção é só sua.",
  askIt: "Perguntar a ela",
  compareIt: "Comparar seus documentos",
  remove: "Excluir",
  removeOf: (name) => `Excluir ${name}`,
  takeOut: "Tirar",
  takeOutOf: (name) => `Tirar ${name} da coleção`,
  gone: (n) => `Excluídos, ou agora ocultos para o dono: ${documents(n)}.`,
  emptyCollection: "Ela ainda não tem documentos. Escolha alguns em Documentos e ponha-os dentro.",
  yours: "só sua",

  compareHelp: "As mesmas perguntas a cada um de até vinte documentos: uma tabela com uma resposta citada em cada célula.",
  compareWhich: "Escolha uma coleção, ou documentos em Documentos.",
  collection: "Coleção",
  open: "Abrir",
  questions: "Perguntas, uma por linha, no máximo cinco",
  compare: "Comparar",
  halt: "Parar",
  answered: (n) => `Respondidos até agora: ${documents(n)}`,
  complete: (n) => `Respostas completas: ${documents(n)}.`,
  leftOut: (n) => `Deixados de fora após os vinte primeiros: ${documents(n)}.`,
  document: "Documento",
  noAnswer: "nenhuma resposta encontrada",
  saveCsv: "Salvar como CSV",
  cites: (title, page) => `Abrir ${title}, página ${page}`,
  citesWhole: (title) => `Abrir ${title} no trecho`,
  page: (n) => `pág. ${n}`,
  passage: "trecho",
  pages: "Páginas",
  table: "Respostas dos documentos",

  conversationsHelp: "O que você perguntou e guardou. Só você vê.",
  turns: (n) => count(n, "pergunta", "perguntas"),
  forgetAll: "Excluir todas",
  forgotten: (n) => `${count(n, "conversa excluída", "conversas excluídas")}.`,
  newQuestion: "Nova pergunta",
};
