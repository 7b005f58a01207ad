// Builds dist/: the crate as wasm, its JavaScript glue, the bundle and its declarations. `npm run setup` comes first.

import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { deflateRawSync, gzipSync } from "node:zlib";

import { cargoHome, env, root } from "./machine.mjs";
import { step } from "./step.mjs";

const source = join(root, "src/js");
const generated = join(source, "generated");
const dist = join(root, "dist");
const target = env.CARGO_TARGET_DIR ?? join(root, "target");

/** All of the package, gzipped, in bytes. */
export const budgetBytes = 60_000;

/** What it must not grow past until it meets the budget. */
export const ceilingBytes = 140_000;

/** What Rust's wasm32 target uses, and the exceptions of the abort handler; wasm-opt refuses what it is not told of. */
const wasmFeatures = [
  "bulk-memory",
  "exception-handling",
  "multivalue",
  "mutable-globals",
  "nontrapping-float-to-int",
  "reference-types",
  "sign-ext",
];

/** Builds everything that is out of date; false where a step failed (it has said why). */
export async function build() {
  const steps = [compileWasm, writeCatalog, bundle, declare];
  for (const run of steps) if (!(await run())) return false;
  copyFileSync(join(generated, "steadfast_gpu_bg.wasm"), join(dist, "steadfast_gpu_bg.wasm"));
  return true;
}

async function compileWasm() {
  // Cargo optimizes across crates (`lto`) only where the library is nothing but a cdylib.
  const cargo = ["cargo", "rustc", "--release", "--target", "wasm32-unknown-unknown", "--lib", "--crate-type", "cdylib"];
  // Panic messages name source files: without the folders of this machine, so that every machine builds the same.
  const remap = `--remap-path-prefix=${join(cargoHome, "registry/src")}=`;
  const rustflags = [env.RUSTFLAGS, remap].filter(Boolean).join(" ");
  if (!(await step("compile the crate to wasm", cargo, { env: { RUSTFLAGS: rustflags } })).ok) return false;
  const compiled = join(target, "wasm32-unknown-unknown/release/steadfast_gpu.wasm");

  const stamp = join(generated, ".stamp");
  const now = createHash("sha256").update(readFileSync(compiled)).update(readFileSync(fileURLToPath(import.meta.url)));
  const hash = now.digest("hex");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === hash) return true;

  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  const bindgen = [
    ["wasm-bindgen", "--target", "web"],
    ["--force-enable-abort-handler", "--experimental-reset-state-function"],
    // Without it bundlers emit the .wasm a second time, beside the embedded copy.
    ["--omit-default-module-path"],
    ["--out-name", "steadfast_gpu", "--out-dir", generated, compiled],
  ];
  if (!(await step("generate the glue", bindgen.flat())).ok) return false;

  const wasm = join(generated, "steadfast_gpu_bg.wasm");
  evenOutHashes(join(generated, "steadfast_gpu.js"), wasm);
  const wasmOpt = [process.execPath, join(root, "node_modules/binaryen/bin/wasm-opt"), wasm, "-Oz", "-o", wasm];
  const features = wasmFeatures.map((feature) => `--enable-${feature}`);
  if (!(await step("shrink the wasm", [...wasmOpt, ...features])).ok) return false;

  const embedded = deflateRawSync(readFileSync(wasm), { level: 9, memLevel: 9 }).toString("base64");
  writeFileSync(join(generated, "embedded.js"), `export const wasm = "${embedded}";\n`);
  writeFileSync(
    join(generated, "embedded.d.ts"),
    "/** The wasm file: deflate-raw, then base64. */\nexport declare const wasm: string;\n",
  );
  writeFileSync(stamp, hash);
  return true;
}

/**
 * Replaces the hashes in the names of imports by numbers of the same length: 16 random digits in each of some 200 names,
 * in the glue and again in the wasm, are what no compression shortens.
 */
function evenOutHashes(glue, wasm) {
  const hashed = /(__wbg_\w+_)([0-9a-f]{16})\b/g;
  const numbers = new Map();
  const counts = new Map();
  const evenOut = (name, stem, hash) => {
    if (!numbers.has(name)) {
      counts.set(stem, (counts.get(stem) ?? 0) + 1);
      numbers.set(name, counts.get(stem).toString().padStart(hash.length, "0"));
    }
    return stem + numbers.get(name);
  };
  for (const file of [glue, wasm]) {
    writeFileSync(file, readFileSync(file, "latin1").replace(hashed, evenOut), "latin1");
  }
}

/** Writes the Rust definitions of codes, reasons and rules as TypeScript. */
export async function writeCatalog() {
  const catalog = await step("write the error catalogue", ["cargo", "run", "--quiet", "--example", "catalog"]);
  if (!catalog.ok) return false;
  mkdirSync(generated, { recursive: true });
  writeFileSync(join(generated, "catalog.ts"), catalog.stdout);
  return true;
}

/** The entries that package.json names: `dist/NAME.js` is made from `src/js/NAME.ts`. */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const scripts = Object.values(exports).map((entry) => entry.default);
  return scripts.filter(Boolean).map((path) => path.match(/^\.\/dist\/(.+)\.js$/)[1]);
}

async function bundle() {
  const { build: esbuild } = await import("esbuild");
  rmSync(dist, { recursive: true, force: true });
  try {
    await esbuild({
      entryPoints: entries().map((name) => join(source, `${name}.ts`)),
      outdir: dist,
      bundle: true,
      splitting: true,
      format: "esm",
      target: "es2022",
      minify: true,
      legalComments: "none",
      tsconfig: join(source, "tsconfig.json"),
    });
  } catch {
    // esbuild has printed what is wrong.
    console.log("  FAILED  bundle");
    return false;
  }
  console.log("  ok  bundle");
  return true;
}

/** Emits declarations and keeps those that the entries reach. */
async function declare() {
  const all = join(target, "declarations");
  rmSync(all, { recursive: true, force: true });
  const tsc = [process.execPath, join(root, "node_modules/typescript/bin/tsc"), "-p", source];
  const emit = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly", "--outDir", all];
  if (!(await step("check types, emit declarations", [...tsc, ...emit])).ok) return false;

  const queue = entries().map((name) => join(all, `${name}.d.ts`));
  const seen = new Set(queue);
  for (const file of queue) {
    const text = readFileSync(file, "utf8");
    const output = join(dist, relative(all, file));
    mkdirSync(dirname(output), { recursive: true });
    writeFileSync(output, text);
    for (const [, specifier] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.js"/g)) {
      const next = join(dirname(file), `${specifier}.d.ts`);
      if (!existsSync(next)) {
        console.log(`  FAILED  declarations: ${relative(all, file)} needs ${specifier}.js, which is not TypeScript`);
        return false;
      }
      if (!seen.has(next)) queue.push(next);
      seen.add(next);
    }
  }
  return true;
}

/** The built files with their sizes. The raw .wasm is the embedded one once more, so it is not in `totalGzip`. */
export function sizes(folder = dist) {
  const files = readdirSync(folder).filter((name) => /\.(js|wasm)$/.test(name));
  const measured = files.map((name) => {
    const bytes = readFileSync(join(folder, name));
    return { name, bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
  });
  const scripts = measured.filter(({ name }) => name.endsWith(".js"));
  return { files: measured, totalGzip: scripts.reduce((sum, { gzip }) => sum + gzip, 0) };
}

export function printSizes({ files, totalGzip }) {
  const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`.padStart(9);
  for (const { name, bytes, gzip } of files) {
    console.log(`      ${name.padEnd(28)} ${kilobytes(bytes)} ${kilobytes(gzip)} gz`);
  }
  const verdict = totalGzip <= budgetBytes ? "within" : "OVER";
  console.log(`      all JavaScript, wasm inside: ${kilobytes(totalGzip).trim()} gz, ${verdict} the budget of 60 KB`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const ok = await build();
  if (ok) printSizes(sizes());
  process.exitCode = ok ? 0 : 1;
}
