// Writes src/openapi.ts, the types of the API that its OpenAPI document describes and the page uses:
// `npm run api-types -- http://127.0.0.1:8080/api`, or a file with the document. A test compares the file with the service.
import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";

/** With what these refer to. What the document calls just an object is described in src/types.ts and beside its use. */
const USED = [
  "SearchAnswer", "SavedSearch", "SavedSearchKept", "AskBody", "CitedAnswer",
  "Library", "LibraryImported", "LibraryCollections", "LibraryConversation", "CollectionBody", "CollectionChange",
  "CatalogueFairness", "PauseBody", "StartBody",
  "CurationTried", "CurationTaken", "CurationChange", "JudgedPair", "TryBody", "InsightSummary", "InsightRecord", "InsightAlerts",
];

const [source] = process.argv.slice(2);
if (!source) throw new Error("Name the address or the file of the OpenAPI document.");
const document = JSON.parse(/^https?:/.test(source) ? await (await fetch(source)).text() : await readFile(source, "utf8"));
const named = schemasOf(document);
const used = Object.fromEntries(reachable(USED).sort().map((name) => [name, pruned(named[name])]));
const types = await openapiTS(
  { openapi: "3.1.0", info: document.info, paths: {}, components: { schemas: used } },
  { rootTypes: true, rootTypesNoSchemaPrefix: true, alphabetize: true, silent: true },
);
const head = "// Made by `npm run api-types` from the OpenAPI document. Do not edit.\n\n";
await writeFile(join(dirname(fileURLToPath(import.meta.url)), "src/openapi.ts"), head + astToString(types));

/** The document's schemas by name, with those that stand inside an answer under their titles. */
function schemasOf({ paths, components }) {
  const found = { ...components.schemas };
  const look = (node) => {
    if (node === null || typeof node !== "object") return;
    if (node.type === "object" && node.properties && node.title) found[node.title] ??= node;
    Object.values(node).forEach(look);
  };
  look(paths);
  return found;
}

function reachable(names, found = new Set()) {
  for (const name of names) {
    if (found.has(name)) continue;
    if (!named[name]) throw new Error(`The document has no schema ${name}.`);
    found.add(name);
    const references = JSON.stringify(named[name]).matchAll(/"#\/components\/schemas\/(\w+)"/g);
    reachable([...references].map(([, other]) => other), found);
  }
  return [...found];
}

/** Properties that are not required may be missing, also those with a default; the service never sends null for them. */
function pruned({ properties, title: _, ...schema }) {
  if (!properties) return schema;
  const kept = Object.entries(properties).map(([name, { default: __, title: ___, ...property }]) => {
    if (schema.required?.includes(name) || !property.anyOf) return [name, property];
    return [name, { ...property, anyOf: property.anyOf.filter(({ type }) => type !== "null") }];
  });
  return { ...schema, properties: Object.fromEntries(kept) };
}
