// Makes TypeScript of the page's words: each `words/CODE.json` (ICU MessageFormat) becomes `words/made/CODE.ts`, in which a
// message without arguments is a string and any other a function of its arguments. English says which messages there are;
// an argument is a number if any language formats it as one.
import { parse, TYPE } from "@formatjs/icu-messageformat-parser";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
/** Looked up by values of the service, which may be others than those listed. */
const TABLES = {
  words: [
    "orders", "suggestionKinds", "nameMatch", "filterNames", "provenanceKinds", "types", "roles", "topics", "regions",
    "relations", "signals", "degradedNames", "doubts", "kin.titles", "kin.relations", "library.states",
    "harvest.paused", "harvest.states", "harvest.counts", "harvest.stages",
  ],
  "desk/words": [
    "nav", "periods", "views", "viewHelp", "by", "kinds", "kindHelp", "fields", "matches", "fileHelp", "actions",
    "channels", "deliveryStates",
  ],
  "fair/words": [
    "priorities", "questions", "advice",
  ],
  "library/words": [
    "parts", "sorts",
  ],
};
const ENGLISH = "en";

for (const folder of await foldersOf(join(here, "src"))) await makeFolder(folder);

async function foldersOf(root) {
  const names = await readdir(root, { recursive: true });
  return names.filter((name) => basename(name) === `${ENGLISH}.json`).map((name) => dirname(join(root, name))).sort();
}

async function makeFolder(folder) {
  const codes = (await readdir(folder)).filter((name) => name.endsWith(".json")).map((name) => basename(name, ".json"));
  const languages = new Map();
  for (const code of codes) languages.set(code, JSON.parse(await readFile(join(folder, `${code}.json`), "utf8")));
  const kinds = new Map();
  for (const [code, words] of languages) for (const [path, text] of messagesOf(words)) note(kinds, path, parsed(text, `${code} ${path}`));
  const made = join(folder, "made");
  await rm(made, { recursive: true, force: true });
  await mkdir(made);
  for (const [code, words] of languages) await writeFile(join(made, `${code}.ts`), moduleOf(folder, code, words, kinds));
}

/** Each message by its path: `nav.search`. */
function messagesOf(node, path = "") {
  if (typeof node === "string") return [[path, node]];
  return Object.entries(node).filter(([key]) => key !== "@same").flatMap(([key, inner]) => messagesOf(inner, path ? `${path}.${key}` : key));
}

function parsed(text, where) {
  try {
    return parse(text, { ignoreTag: true });
  } catch (error) {
    throw new Error(`${where}: ${error.message}: ${text}`);
  }
}

/** Of each message, its arguments and which of them are numbers. */
function note(kinds, path, elements) {
  if (!kinds.has(path)) kinds.set(path, new Map());
  const own = kinds.get(path);
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound) continue;
    const number = element.type === TYPE.number || element.type === TYPE.plural;
    const kind = number ? "number" : element.type === TYPE.select ? "string" : "string | number";
    if (number || own.get(element.value) !== "number") own.set(element.value, own.get(element.value) === "string" && !number ? "string" : kind);
    for (const option of Object.values(element.options ?? {})) note(kinds, path, option.value);
  }
}

function moduleOf(folder, code, words, kinds) {
  const english = code === ENGLISH;
  const part = relative(join(here, "src"), folder);
  const body = expressionOf(words, "", { kinds, tables: english ? (TABLES[part] ?? []) : null });
  const numbers = ["count", "decimal", "plural", "whole"].filter((name) => body.includes(`${name}(v`));
  const imported = [...(numbers.length > 0 ? ["numbersIn"] : []), ...(body.includes("select(v") ? ["select"] : [])];
  const lines = [`// Made by \`npm run words\` from ../${code}.json. Do not edit.`, ""];
  if (imported.length > 0) lines.push(`import { ${imported.join(", ")} } from "${part === "words" ? ".." : "../../../words"}/numbers.ts";`);
  if (english && part === "words") lines.push('import type { ReasonValues } from "../../search/reasons.ts";');
  if (!english) lines.push(`import type { words as english } from "./${ENGLISH}.ts";`);
  if (numbers.length > 0) lines.push("", `const { ${numbers.join(", ")} } = numbersIn("${code}");`);
  lines.push("", `export const words${english ? "" : ": typeof english"} = ${body};`);
  if (words["@same"]) lines.push("", `export const same = ${JSON.stringify(words["@same"])};`);
  return `${lines.join("\n")}\n`;
}

/** A message or a group of them as an expression; `tables` is null where the types are English's. */
function expressionOf(node, path, { kinds, tables }) {
  if (typeof node === "string") return messageOf(node, tables ? kinds.get(path) : null);
  const members = Object.entries(node)
    .filter(([key]) => key !== "@same")
    .map(([key, inner]) => `${JSON.stringify(key)}: ${expressionOf(inner, path ? `${path}.${key}` : key, { kinds, tables })},\n`);
  const group = `{\n${members.join("")}}`;
  if (!tables) return group;
  if (path === "reasons") return `${group} as Record<string, string | ((v: ReasonValues) => string)>`;
  if (!tables.includes(path)) return group;
  const [first] = kinds.get(`${path}.${Object.keys(node)[0]}`);
  return `${group} as Record<string, ${first ? "(v: { n: number }) => string" : "string"}>`;
}

function messageOf(text, kinds) {
  const elements = parsed(text);
  if (elements.every(({ type }) => type === TYPE.literal)) return JSON.stringify(elements.map(({ value }) => value).join(""));
  const types = kinds && [...kinds].map(([name, kind]) => `${JSON.stringify(name)}: ${kind}`).join("; ");
  return `(v${types ? `: { ${types} }` : ""}) => ${textOf(elements)}`;
}

/** An expression for a part of a message; `counted` is the argument whose number `#` stands for. */
function textOf(elements, counted) {
  if (elements.length === 1 && elements[0].type !== TYPE.literal && elements[0].type !== TYPE.argument) return partOf(elements[0], counted);
  if (elements.every(({ type }) => type === TYPE.literal)) return JSON.stringify(elements.map(({ value }) => value).join(""));
  const parts = elements.map((element) => (element.type === TYPE.literal ? element.value.replace(/[`\\$]/g, "\\$&") : `\${${partOf(element, counted)}}`));
  return `\`${parts.join("")}\``;
}

function partOf(element, counted) {
  const name = /^\d/.test(element.value) ? `v[${element.value}]` : `v.${element.value}`;
  if (element.type === TYPE.argument) return name;
  if (element.type === TYPE.pound) return `whole(v.${counted})`;
  if (element.type === TYPE.number) {
    const digits = element.style?.parsedOptions.minimumFractionDigits;
    return digits === undefined ? `whole(${name})` : `decimal(${name}, ${digits})`;
  }
  const options = Object.entries(element.options);
  if (element.type === TYPE.select) return `select(${name}, { ${options.map(([key, { value }]) => `${key}: ${textOf(value, counted)}`).join(", ")} })`;
  const forms = options.map(([key, { value }]) => [key, nounOf(value)]);
  if (forms.every(([key, noun]) => noun !== null && ["one", "other", "many"].includes(key))) {
    const { one, other, many } = Object.fromEntries(forms);
    return `count(${[name, ...[one ?? other, other, ...(many === undefined ? [] : [many])].map((noun) => JSON.stringify(noun))].join(", ")})`;
  }
  return `plural(${name}, { ${options.map(([key, { value }]) => `${JSON.stringify(key)}: ${textOf(value, element.value)}`).join(", ")} })`;
}

/** What follows the number in `# records`; null if the form is none such. */
function nounOf(elements) {
  const [number, noun] = elements;
  const plain = elements.length === 2 && number.type === TYPE.pound && noun.type === TYPE.literal && noun.value.startsWith(" ");
  return plain ? noun.value.slice(1) : null;
}
