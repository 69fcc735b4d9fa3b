// Bundles each test/*.test.ts, or those named, and hands it to node's own test runner: npm test -- words.test.ts
import { build } from "esbuild";
import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

const folder = await mkdtemp(join(tmpdir(), "sonde-page-"));
const named = process.argv.slice(2);
const tests = named.length ? named : (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join("test", name)),
  outdir: folder,
  bundle: true,
  format: "esm",
  platform: "node",
  outExtension: { ".js": ".mjs" },
});
const ran = spawnSync(process.execPath, ["--test", ...tests.map((name) => join(folder, name.replace(".ts", ".mjs")))], {
  stdio: "inherit",
});
await rm(folder, { recursive: true });
process.exit(ran.status ?? 1);
