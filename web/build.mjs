// Writes the bundle that the API serves: `npm run build [-- FOLDER]`, by default into search_api/page/bundle.
// The same lock gives the same bytes: no time, no path and no machine's name goes into a file.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { landSvg } from "./land.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "../search_api/page/bundle"));
const atlas = join(here, "node_modules/world-atlas");

await mkdir(target, { recursive: true });
for (const name of await readdir(target)) await rm(join(target, name), { recursive: true });
const { metafile } = await build({
  metafile: true,
  absWorkingDir: here,
  entryPoints: [
    { in: "src/page.tsx", out: "page" },
    { in: "src/map/worldMap.ts", out: "map" },
    { in: "src/embed.ts", out: "sonde-search" },
    { in: "src/styles/desk.css", out: "desk" },
    { in: "src/styles/pdf.css", out: "pdf" },
    { in: "src/apiDocs.ts", out: "api-docs" }, // a script and a style sheet of one name
    { in: "src/styles/apiDocs.css", out: "api-docs" },
  ],
  outdir: target,
  bundle: true,
  splitting: true,
  format: "esm",
  target: ["es2022"],
  jsx: "automatic",
  jsxImportSource: "preact",
  minify: true,
  charset: "utf8",
  legalComments: "none",
  loader: { ".png": "empty" }, // of Leaflet's pictures the map uses none
  external: ["land.svg"], // beside the style sheet
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
});
await copyFile(join(here, "src/favicon.svg"), join(target, "favicon.svg"));
const shell = await readFile(join(here, "src/index.html"), "utf8");
const preloads = chunksOf("page.js").map((name) => `  <link rel="modulepreload" href="page/${name}">\n`);
await writeFile(join(target, "index.html"), shell.replace("</head>", `${preloads.join("")}</head>`));
for (const size of ["110m", "50m"]) {
  await copyFile(join(atlas, `countries-${size}.json`), join(target, `world-${size}.json`));
}
await writeFile(join(target, "land.svg"), await landSvg(JSON.parse(await readFile(join(atlas, "land-110m.json"), "utf8"))));
await copyFile(join(here, "node_modules/pdfjs-dist/legacy/build/pdf.worker.min.mjs"), join(target, "pdf-worker.js"));
const licences = ["preact", "leaflet", "topojson-client", "world-atlas", "pdfjs-dist", "shpjs", "proj4", "oauth4webapi"].map(async (name) => {
  const folder = join(here, "node_modules", name);
  const [file] = (await readdir(folder)).filter((entry) => entry.startsWith("LICENSE"));
  const text = await readFile(join(folder, file), "utf8");
  return `${name}\n${"-".repeat(name.length)}\n${text.trim()}\n`;
});
await writeFile(join(target, "licences.txt"), (await Promise.all(licences)).join("\n"));

/** The chunks that a script imports at once, and theirs: a browser asks for all of them together. */
function chunksOf(name, found = new Set()) {
  const [, output] = Object.entries(metafile.outputs).find(([path]) => basename(path) === name);
  for (const { path, kind } of output.imports) {
    const chunk = basename(path);
    if (kind !== "import-statement" || found.has(chunk)) continue;
    found.add(chunk);
    chunksOf(chunk, found);
  }
  return [...found].sort();
}
