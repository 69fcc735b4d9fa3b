// The words are complete in every language, and the page has no text outside of them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import { type MessageFormatElement, parse, TYPE } from "@formatjs/icu-messageformat-parser";
import type * as TypeScript from "typescript";
import { SIGN_IN_LANGUAGES } from "../src/signin/words/index.ts";
import { BASKET_LANGUAGES } from "../src/basket/words/index.ts";
import { DESK_LANGUAGES } from "../src/desk/words/index.ts";
import { PDF_LANGUAGES } from "../src/document/words/index.ts";
import { FAIR_LANGUAGES } from "../src/fair/words/index.ts";
import { LAYER_LANGUAGES } from "../src/layers/words/index.ts";
import { KEEP_LANGUAGES } from "../src/keep/words/index.ts";
import { ROWS_LANGUAGES } from "../src/rows/words/index.ts";
import { MAP_LANGUAGES } from "../src/map/words/index.ts";
import { OWN_LANGUAGES } from "../src/library/words/index.ts";
import { type Language, LANGUAGES, languageOf, type Words } from "../src/words/index.ts";

type Loaded<T> = { words: T; same?: readonly string[] };
type Leaf = string | ((values: Record<string, unknown>) => string);

/** Parts of the page with words of their own: where they lie; a language may lack a part, which is in English then. */
const OF_PARTS = {
  desk: { folder: "src/desk/words", languages: DESK_LANGUAGES },
  own: { folder: "src/library/words", languages: OWN_LANGUAGES },
  fairTable: { folder: "src/fair/words", languages: FAIR_LANGUAGES },
  keepWords: { folder: "src/keep/words", languages: KEEP_LANGUAGES },
  basketWords: { folder: "src/basket/words", languages: BASKET_LANGUAGES },
  pdfWords: { folder: "src/document/words", languages: PDF_LANGUAGES },
  layerWords: { folder: "src/layers/words", languages: LAYER_LANGUAGES },
  rowsWords: { folder: "src/rows/words", languages: ROWS_LANGUAGES },
  signInWords: { folder: "src/signin/words", languages: SIGN_IN_LANGUAGES },
  mapWords: { folder: "src/map/words", languages: MAP_LANGUAGES },
};
const LOADED = await Promise.all(
  (Object.keys(LANGUAGES) as Language[]).map(async (code) => {
    const page = (await LANGUAGES[code].load()) as Loaded<Words>;
    const english: string[] = [];
    const words: Record<string, unknown> = { ...page.words };
    const same = [...(page.same ?? [])];
    for (const [name, { languages }] of Object.entries(OF_PARTS)) {
      const part = (await languages[code]?.()) as Loaded<object> | undefined;
      if (!part) english.push(`${name}.`);
      else {
        words[name] = part.words;
        same.push(...(part.same ?? []));
      }
    }
    return { code, english, words, same };
  }),
);
const ENGLISH = leavesOf(LOADED.find(({ code }) => code === "en")?.words);
const OTHERS = LOADED.filter(({ code }) => code !== "en").map((one) => ({ ...one, leaves: leavesOf(one.words) }));
/** The service writes the reasons of a hit in English itself; so German is what the others are compared with. */
const WANTED = new Map([...ENGLISH, ...[...(OTHERS[0]?.leaves ?? [])].filter(([path]) => path.startsWith("reasons."))]);

/** Every text by its path: `nav.search`. */
function leavesOf(node: unknown, path = ""): Map<string, Leaf> {
  if (typeof node === "string" || typeof node === "function") return new Map([[path, node as Leaf]]);
  return new Map(Object.entries(node as object).flatMap(([name, inner]) => [...leavesOf(inner, path ? `${path}.${name}` : name)]));
}

/** The messages of a folder in each language, as translators see them. */
function sourcesOf(folder: string, prefix: string): Map<Language, Map<string, MessageFormatElement[]>> {
  const codes = readdirSync(folder).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, 2) as Language);
  return new Map(
    codes.map((code) => {
      const leaves = leavesOf(JSON.parse(readFileSync(join(folder, `${code}.json`), "utf8")) as object);
      const texts = [...leaves].filter(([path]) => !path.startsWith("@same"));
      return [code, new Map(texts.map(([path, text]) => [prefix + path, parse(text as string, { ignoreTag: true })]))] as const;
    }),
  );
}

const PARTS: Record<string, string> = { "": "src/words", ...Object.fromEntries(Object.entries(OF_PARTS).map(([name, { folder }]) => [`${name}.`, folder])) };
const SOURCES = Object.entries(PARTS).map(([prefix, folder]) => sourcesOf(folder, prefix));

interface Argument {
  kind: "number" | "choice" | "text";
  options: Set<string>;
}

/** What a message takes. */
function argumentsOf(elements: readonly MessageFormatElement[], found = new Map<string, Argument>()): Map<string, Argument> {
  for (const element of elements) {
    if (element.type === TYPE.literal || element.type === TYPE.pound || element.type === TYPE.tag) continue;
    const kind = element.type === TYPE.number || element.type === TYPE.plural ? "number" : element.type === TYPE.select ? "choice" : "text";
    const known = found.get(element.value);
    const argument: Argument = known && kind === "text" ? known : { kind, options: known?.options ?? new Set<string>() };
    found.set(element.value, argument);
    if (element.type === TYPE.select) for (const name of Object.keys(element.options)) argument.options.add(name);
    if (element.type === TYPE.select || element.type === TYPE.plural) for (const { value } of Object.values(element.options)) argumentsOf(value, found);
  }
  return found;
}

/** What a message takes in any language. */
function allArgumentsOf(path: string): Map<string, Argument> {
  const found = new Map<string, Argument>();
  for (const languages of SOURCES) for (const messages of languages.values()) argumentsOf(messages.get(path) ?? [], found);
  return found;
}

const NUMBERS = [1, 7, 3451, 0];
const MARKS = [..."abcdefghijklmnop"].map((letter) => `⟦${letter}⟧`);

/** Values for a message: each number, and each choice with one that is not listed; a mark for a text. */
function samplesOf(path: string): Record<string, unknown>[] {
  const taken = [...allArgumentsOf(path)];
  const most = Math.max(NUMBERS.length, ...taken.map(([, { options }]) => options.size));
  return Array.from({ length: most }, (_, at) =>
    Object.fromEntries(
      taken.map(([name, { kind, options }], index) => {
        if (kind === "number") return [name, NUMBERS[at % NUMBERS.length]];
        const mark = MARKS[index];
        return [name, kind === "text" ? mark : [...options].map((option) => (option === "other" ? mark : option))[at % options.size]];
      }),
    ),
  );
}

/** Not a translation, or more precise than the service's English. */
const UNLIKE = ["placeholder", "findings.shortAbstract"];

/** What a text says: itself, or what it makes of each of its samples. */
function said(path: string, leaf: Leaf): string[] {
  return typeof leaf === "string" ? [leaf] : samplesOf(path).map((values) => leaf(values));
}

/** The marks, numbers and places for values in a text, without the separators of its language. */
function values(text: string): string[] {
  return [...new Set(text.replace(/(\d)[.,\s’](?=\d)/g, "$1").match(/⟦\w⟧|\{\d\}|\d+/g) ?? [])].sort();
}

function withoutValues(text: string): string {
  return text.replace(/⟦\w⟧|\{\d\}|\b\d+\b/g, "").replace(/\s+/g, " ").trim();
}

test("each language has each text, and no other", () => {
  for (const { code, english, leaves } of OTHERS) {
    const wanted = [...WANTED.keys()].filter((path) => !english.some((part) => path.startsWith(part)));
    assert.deepEqual(wanted.filter((path) => !leaves.has(path)), [], `missing in ${code}`);
    assert.deepEqual([...leaves.keys()].filter((path) => !WANTED.has(path)), [], `unknown in ${code}`);
    for (const [path, leaf] of leaves) assert.equal(typeof leaf, typeof WANTED.get(path), `${code} ${path}`);
  }
});

test("each text takes the arguments that it has in English, and only choices may be unused", () => {
  for (const languages of SOURCES) {
    for (const [code, messages] of languages) {
      for (const [path, elements] of messages) {
        const english = languages.get(path.startsWith("reasons.") ? "de" : "en")?.get(path);
        const [own, wanted] = [argumentsOf(elements), argumentsOf(english ?? [])];
        assert.deepEqual([...own.keys()].filter((name) => !wanted.has(name)), [], `${code} ${path}`);
        assert.deepEqual([...wanted].filter(([name, { kind }]) => kind !== "choice" && !own.has(name)).map(([name]) => name), [], `${code} ${path}`);
      }
    }
  }
});

test("each text says the same values in each language", () => {
  for (const { code, leaves } of OTHERS) {
    for (const [path, leaf] of leaves) {
      if (UNLIKE.includes(path)) continue;
      const [own, wanted] = [said(path, leaf), said(path, WANTED.get(path) as Leaf)];
      assert.deepEqual(own.map(values), wanted.map(values), `${code} ${path}: ${own.join(" | ")}`);
    }
  }
});

test("no text is empty, broken or padded", () => {
  for (const { code, words } of LOADED) {
    for (const [path, leaf] of leavesOf(words)) {
      if (path.startsWith("findingTails.")) continue; // they follow another text
      for (const text of said(path, leaf)) {
        assert.ok(text.trim() === text && text !== "" && !/undefined|NaN|\bnull\b|\[object|~/.test(text), `${code} ${path}: "${text}"`);
      }
    }
  }
});

test("a text is left in English only where its language lists the word as its own", () => {
  for (const { code, leaves, same = [] } of OTHERS) {
    const found = [...leaves].flatMap(([path, leaf]) => {
      const [own, english] = [said(path, leaf), said(path, WANTED.get(path) as Leaf)];
      return path.startsWith("reasons.") ? [] : own.filter((text, at) => text === english[at]).map(withoutValues).filter((text) => /\p{L}/u.test(text));
    });
    assert.deepEqual(found.filter((text) => !same.includes(text)), [], `as in English, in ${code}`);
    assert.deepEqual(same.filter((text) => !found.includes(text)), [], `listed as the same in ${code}, but is not`);
  }
});

test("French has a no-break space before its high punctuation", () => {
  const fr = OTHERS.find(({ code }) => code === "fr");
  for (const [path, leaf] of fr?.leaves ?? []) {
    for (const text of said(path, leaf)) assert.ok(!/ [:;?!»%]|« /.test(text), `${path}: ${text}`);
  }
});

test("the language is the first that the page has", () => {
  assert.equal(languageOf([null, "pt-BR", "en"]), "pt");
  assert.equal(languageOf(["it", "pt"]), "it");
  assert.equal(languageOf(["constructor", "xx", "DE-at"]), "de");
  assert.equal(languageOf([null, null]), "en");
});

const ts = createRequire(join(process.cwd(), "package.json"))("typescript") as typeof TypeScript;
/** Names of products, formats and files are no words of a language. */
const NAMES = /^(Sonde|BibTeX|RIS|DataCite|UTC|nDCG@10|R@100)?$/;
const SPOKEN_ATTRIBUTES = ["title", "alt", "placeholder", "label", "aria-label", "aria-description", "aria-valuetext", "aria-roledescription"];

/** The texts that a component would show or speak without asking `words`. */
function textsOf(file: string): string[] {
  const found: string[] = [];
  const note = (text: string) => /\p{L}/u.test(text) && !NAMES.test(text.trim()) && found.push(`${file}: ${text.trim()}`);
  const look = (node: TypeScript.Node, shown: boolean): void => {
    if (ts.isJsxText(node)) note(node.text);
    else if (ts.isJsxAttribute(node)) {
      const spoken = SPOKEN_ATTRIBUTES.includes(node.name.getText());
      if (node.initializer) look(node.initializer, spoken);
      return;
    } else if (shown && ts.isStringLiteralLike(node)) note(node.text);
    else if (shown && ts.isTemplateExpression(node)) for (const part of [node.head, ...node.templateSpans.map((span) => span.literal)]) note(part.text);
    // What is compared, looked up or given to a function is not shown itself.
    const inside = ts.isJsxElement(node) || ts.isJsxFragment(node) || (shown && (ts.isJsxExpression(node) || ts.isConditionalExpression(node) || ts.isParenthesizedExpression(node) || isJoined(node)));
    ts.forEachChild(node, (child) => look(child, inside && !(ts.isConditionalExpression(node) && child === node.condition)));
  };
  look(ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.ES2022, true, ts.ScriptKind.TSX), false);
  return found;
}

function isJoined(node: TypeScript.Node): boolean {
  const joining = [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.PlusToken];
  return ts.isBinaryExpression(node) && joining.includes(node.operatorToken.kind);
}

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name));
}

test("no text stands outside of the words", () => {
  assert.deepEqual(filesOf("src").filter((file) => file.endsWith(".tsx")).flatMap(textsOf), []);
});

test("what would be a text outside of the words is seen", () => {
  assert.deepEqual(textsOf("test/unworded.sample.tsx").map((text) => text.split(": ")[1]), ["Read me", "Hello", "there", "by", "or that", "Bye"]);
});

test("each text is used", () => {
  const sources = filesOf("src").filter((file) => /\.tsx?$/.test(file) && !file.includes(join("src", "words")) && !file.includes("made")).map((file) => readFileSync(file, "utf8"));
  const page = [...sources, readFileSync("src/words/index.ts", "utf8"), readFileSync("src/words/findings.ts", "utf8")].join("\n");
  const rooms = ["key", "actions", "home", "answers", "library", "harvest", ...Object.keys(OF_PARTS)];
  const names = [...ENGLISH.keys()].map((path) => path.split(".")).map(([first = "", second = ""]) => (rooms.includes(first) ? second : first));
  assert.deepEqual([...new Set(names)].filter((name) => !new RegExp(`\\.${name}\\b`).test(page)), []);
});
