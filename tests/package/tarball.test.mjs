// What is in the tarball, and whether tools and TypeScript understand it.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { publint } from "publint";

import { ceilingBytes, sizes } from "../../.ci/build.mjs";
import { root } from "../../.ci/machine.mjs";
import { packed } from "./harness.mjs";
import { typeCheck } from "./type_check.mjs";

const { tarball, folder, installed } = packed();
const manifest = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
const files = readdirSync(installed, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(installed.length + 1));

test("the tarball holds the build, the README, the licences and the change log, and nothing else", () => {
  const documents = ["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "package.json"];
  assert.deepEqual(files.filter((file) => !file.startsWith("dist/")).sort(), documents);
  const strange = files.filter((file) => file.startsWith("dist/") && !/\.(js|d\.ts|wasm)$/.test(file));
  assert.deepEqual(strange, []);
});

test("every export names a file that is there, types first", () => {
  for (const [name, entry] of Object.entries(manifest.exports)) {
    const targets = typeof entry === "string" ? [entry] : Object.values(entry);
    for (const target of targets) assert.ok(existsSync(join(installed, target)), `${name}: ${target}`);
    if (typeof entry !== "string") assert.deepEqual(Object.keys(entry), ["types", "default"], name);
  }
});

test("it depends on nothing at run time", () => {
  assert.equal(manifest.dependencies, undefined);
  assert.equal(manifest.peerDependencies, undefined);
});

test("all of it does not grow past what it is", () => {
  const { totalGzip } = sizes(join(installed, "dist"));
  assert.ok(totalGzip <= ceilingBytes, `${totalGzip} bytes`);
  assert.ok(ceilingBytes - totalGzip < 8_000, `it shrank to ${totalGzip} bytes: lower the ceiling`);
});

test("the wasm names no folder of the machine it was built on", () => {
  const wasm = readFileSync(join(installed, "dist/steadfast_gpu_bg.wasm"), "latin1");
  const paths = wasm.match(/\/(?:root|home|Users)\/[\w./-]+/g) ?? [];
  assert.deepEqual(paths, []);
});

test("publint has nothing to say", async () => {
  const { messages } = await publint({ pkgDir: installed, pack: false, strict: true });
  assert.deepEqual(messages, []);
});

test("the types resolve as the scripts do (are the types wrong?)", async () => {
  const attw = join(root, "node_modules/@arethetypeswrong/cli/dist/index.js");
  const noScripts = ["--exclude-entrypoints", "./wasm", "./package.json"];
  const options = ["--profile", "esm-only", "--no-definitely-typed", "--format", "ascii", ...noScripts];
  await promisify(execFile)(process.execPath, [attw, tarball, ...options]).catch(({ stdout }) => assert.fail(stdout));
});

// The two ways of resolving that a project with this package can have.
for (const moduleResolution of ["bundler", "nodenext"]) {
  test(`a strict project with "moduleResolution": "${moduleResolution}" type checks`, async () => {
    cpSync(fileURLToPath(new URL("types", import.meta.url)), join(folder, "types"), { recursive: true });
    await typeCheck(folder, "types", moduleResolution);
  });
}
