// Bundles the reader that speaks a page for tests/browser/transcript.py: `node reader.mjs FILE`. It is not served.
import { build } from "esbuild";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

await build({
  absWorkingDir: dirname(fileURLToPath(import.meta.url)),
  stdin: { contents: 'export { virtual } from "@guidepup/virtual-screen-reader";', resolveDir: "." },
  outfile: process.argv[2],
  bundle: true,
  format: "iife",
  globalName: "sondeReader",
  target: ["es2022"],
  logLevel: "warning",
});
