// Writes the bundle that the API serves: `npm run build [-- FOLDER]`, by default into search_api/views/pages.
// The same lock gives the same bytes: no time, no path and no machine's name goes into a file.
import { build } from "esbuild";
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(here, "../search_api/views/pages"));
const atlas = join(here, "node_modules/world-atlas");

await mkdir(target, { recursive: true });
for (const name of await readdir(target)) await rm(join(target, name), { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { page: "src/page.tsx", map: "src/map/worldMap.ts", "sonde-search": "src/embed.ts", desk: "src/styles/desk.css" },
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
  loader: { ".png": "dataurl" },
  chunkNames: "[name]-[hash]",
  logLevel: "warning",
});
for (const name of ["index.html", "favicon.svg"]) await copyFile(join(here, "src", name), join(target, name));
for (const size of ["110m", "50m"]) {
  await copyFile(join(atlas, `countries-${size}.json`), join(target, `world-${size}.json`));
}
await copyFile(join(here, "node_modules/pdfjs-dist/legacy/build/pdf.worker.min.mjs"), join(target, "pdf-worker.js"));
const licences = ["preact", "leaflet", "topojson-client", "world-atlas", "pdfjs-dist"].map(async (name) => {
  const text = await readFile(join(here, "node_modules", name, "LICENSE"), "utf8");
  return `${name}\n${"-".repeat(name.length)}\n${text.trim()}\n`;
});
await writeFile(join(target, "licences.txt"), (await Promise.all(licences)).join("\n"));
