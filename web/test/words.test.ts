// The words are complete in every language, and the page has no text outside of them.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import test from "node:test";
import type * as TypeScript from "typescript";
import { DESK_LANGUAGES } from "../src/desk/words/index.ts";
import { FAIR_LANGUAGES } from "../src/fair/words/index.ts";
import { KEEP_LANGUAGES } from "../src/keep/words/index.ts";
import { OWN_LANGUAGES } from "../src/library/words/index.ts";
import { type Language, LANGUAGES, languageOf, type Words } from "../src/words/index.ts";

type Loaded<T> = { words: T; same?: readonly string[] };
type Leaf = string | ((...args: unknown[]) => string);

const LOADED = await Promise.all(
  (Object.keys(LANGUAGES) as Language[]).map(async (code) => {
    const page = (await LANGUAGES[code].load()) as Loaded<Words>;
    const desk = await DESK_LANGUAGES[code]?.();
    const own = await OWN_LANGUAGES[code]?.();
    const fair = await FAIR_LANGUAGES[code]?.();
    const keep = await KEEP_LANGUAGES[code]?.();
    const english = [...(desk ? [] : ["desk."]), ...(own ? [] : ["own."]), ...(fair ? [] : ["fairTable."]), ...(keep ? [] : ["keepWords."])]; // parts that may stay in English
    const words = { ...page.words, ...(desk && { desk: desk.words }), ...(own && { own: own.words }), ...(fair && { fairTable: fair.words }), ...(keep && { keepWords: keep.words }) };
    return { code, english, words, same: [...(page.same ?? []), ...(desk?.same ?? []), ...(own?.same ?? []), ...(fair?.same ?? []), ...(keep?.same ?? [])] };
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

const REASON = {
  raw: 0.25, best: 0.5, counted: 0.125, place: "⟦a⟧", number: 1, of: 2, distance_deg: 3.04, share: 0.5, area_ratio: 1.25, start: "2005-01-01",
  end: "2014-12-31", own_m: 30, asked_m: 60, own: "⟦b⟧", asked: ["⟦c⟧"],
};
const REASONS = [[REASON, "⟦d⟧"], [{ ...REASON, place: null, of: undefined, share: 0.004, area_ratio: 0.05, end: null, own_m: null, asked_m: null }, "spatial"]];
const COUNTED = [[1], [7], [3451]];

/** Arguments of the texts that take numbers; all other arguments are marks like "⟦a⟧". */
const ARGUMENTS: Record<string, unknown[][]> = {
  suggestions: COUNTED, hits: COUNTED, keywordCount: COUNTED, "home.holds": [[1, 1], [3451, 7]], moreLinks: COUNTED, "answers.passages": COUNTED, "library.found": COUNTED, "harvest.refusedTitle": COUNTED, "harvest.failedTitle": COUNTED,
  rankedEnd: [[12]], took: [[12]], page: [[12]], "answers.cites": [[12]], "answers.relevance": [[12]],
  best: [[12, 3451, "about"], [12, 3451, "at_least"], [12, 3451, "exact"]],
  percent: [["⟦a⟧", 12]], "library.sending": [["⟦a⟧", 12]],
  removeReading: [["⟦a⟧", "place"], ["⟦a⟧", "⟦b⟧"]],
  since: [["1990"], ["⟦a⟧ ⟦b⟧"]], until: [["1990"], ["⟦a⟧ ⟦b⟧"]],
  results: [["⟦a⟧"], [""]],
  moreLoaded: [[12, 3451]], bar: [[1990, 1999, 7], [1990, 1990, 7]],
  "answers.pages": [[3, 3], [3, 8]],
  "library.facts": [[7, 8], [1, undefined], [undefined, 1]],
  "library.progress": [[3, 7, "pages"], [3, 7, "passages"]],
  "harvest.every": [["1d"], ["2h"], ["3w"], ["5m"], ["6s"], ["⟦a⟧"]],
  "harvest.trend": [[1, 5, 2], [7, 5, 2]],
  "harvest.completeness": [[1, 50], [7, 50]],
  "desk.asked": COUNTED, "desk.people": COUNTED, "desk.opened": COUNTED, "desk.notFound": COUNTED, "desk.deleted": COUNTED, "desk.taken": COUNTED,
  "desk.refusedLines": COUNTED, "desk.line": COUNTED, "desk.draftRules": COUNTED, "desk.published": COUNTED, "desk.median": [[12.4]], "desk.milliseconds": [[12.4]],
  "desk.foundRecords": [[0], [1], [6]], "desk.chartOf": [[1, 0], [3451, 7]], "desk.hidden": [[1, 1], [7, 3451]], "desk.judged": [[1, 1], [7, 3451]],
  "desk.measuredChart": [[1, 0.5], [7, 0.625]], "desk.savedCount": COUNTED, "desk.roundSearches": COUNTED, "desk.roundFound": COUNTED,
  "fairTable.all": COUNTED, "fairTable.part": [[7, 3451]], "fairTable.partly": COUNTED, "desk.complete": [[85]], "kin.more": COUNTED,
  "keepWords.exportHelp": COUNTED, "keepWords.exported": COUNTED, "keepWords.exporting": [[7, 3451]],
  "own.chosen": COUNTED, "own.isIn": [[1, "⟦a⟧"], [7, "⟦a⟧"]], "own.documents": COUNTED, "own.gone": COUNTED, "own.answered": COUNTED, "own.complete": COUNTED,
  "own.leftOut": COUNTED, "own.cites": [["⟦a⟧", 12]], "own.page": [[12]], "own.turns": COUNTED, "own.forgotten": COUNTED, "answers.within": COUNTED,
  "desk.ndcg": [[0.5, 0.625]], "desk.up": [[7, 3]], "desk.down": [[3, 7]], "desk.enters": [[3]], "desk.leaves": [[3]],
};

/** Not a translation, or more precise than the service's English. */
const UNLIKE = ["placeholder", "findings.anAbstract"];

/** What a text says: itself, or what it makes of each of its arguments. */
function said(path: string, leaf: Leaf): string[] {
  if (typeof leaf === "string") return [leaf];
  const marks = ["⟦a⟧", "⟦b⟧", "⟦c⟧"];
  const given = path.startsWith("reasons.") ? REASONS : path.startsWith("harvest.counts.") ? COUNTED : (ARGUMENTS[path] ?? [marks]);
  return given.map((args) => leaf(...args));
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
  const sources = filesOf("src").filter((file) => /\.tsx?$/.test(file) && !file.includes(join("src", "words"))).map((file) => readFileSync(file, "utf8"));
  const page = [...sources, readFileSync("src/words/index.ts", "utf8"), readFileSync("src/words/findings.ts", "utf8")].join("\n");
  const rooms = ["key", "actions", "home", "answers", "library", "harvest", "fairTable", "keepWords", "own"];
  const names = [...ENGLISH.keys()].map((path) => path.split(".")).map(([first = "", second = ""]) => (rooms.includes(first) ? second : first));
  assert.deepEqual([...new Set(names)].filter((name) => !new RegExp(`\\.${name}\\b`).test(page)), []);
});
