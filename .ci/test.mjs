// Runs every check and test, or the layers named on the command line: checks host browser package firefox interop.
// The last line is `N passed, N failed`, with `, N skipped` where tests cannot run in the browser they were sent to. A failing step does not stop those that do not need it.

import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build, printSizes, sizes, writeCatalog } from "./build.mjs";
import { findChrome, findChromedriver, root } from "./machine.mjs";
import { setUp, setUpFirefox } from "./setup.mjs";
import { step } from "./step.mjs";

const wasm32 = ["--target", "wasm32-unknown-unknown"];
const totals = { passed: 0, failed: 0, skipped: 0 };

const layers = { checks, host, browser, package: packageTests, firefox, interop };
const everything = ["checks", "host", "browser", "package"];

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in layers));
if (unknown.length) {
  console.error(`No such layer: ${unknown.join(", ")}. There are: ${Object.keys(layers).join(", ")}.`);
  process.exit(2);
}

console.log("set-up");
const isFirefoxAlone = asked.length > 0 && asked.every((name) => name === "firefox");
if ((isFirefoxAlone || (await setUp())) && (!asked.includes("firefox") || (await setUpFirefox()))) {
  for (const name of asked.length ? asked : everything) {
    console.log(name);
    await layers[name]();
  }
} else {
  count(false);
}
const skipped = totals.skipped ? `, ${totals.skipped} skipped` : "";
console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed === 0 ? 0 : 1;

function count(ok) {
  totals[ok ? "passed" : "failed"] += 1;
}

/** A step that is one check. */
async function check(title, command, options) {
  count((await step(title, command, options)).ok);
}

async function checks() {
  const deny = ["--", "-D", "warnings"];
  await check("Rust is formatted", ["cargo", "fmt", "--check"]);
  await check("clippy, host", ["cargo", "clippy", "--all-targets", ...deny]);
  await check("clippy, browser", ["cargo", "clippy", ...wasm32, "--lib", "--test", "browser", ...deny]);
  await check("documentation", ["cargo", "doc", "--no-deps", "--lib", ...wasm32], { env: { RUSTDOCFLAGS: "-D warnings" } });
}

async function host() {
  await runner("Rust on the host", ["cargo", "test", "--no-fail-fast"], cargoCounts);
  if (await writeCatalog()) await nodeTests("JavaScript over a fake wasm", "tests/js");
  else count(false);
}

async function browser() {
  // chromedriver looks for Chrome in few places: it is told.
  const capabilities = JSON.parse(readFileSync(join(root, "tests/webdriver.json"), "utf8"));
  capabilities["goog:chromeOptions"].binary = findChrome();
  const webdriver = join(root, "target/webdriver.json");
  mkdirSync(join(root, "target"), { recursive: true });
  writeFileSync(webdriver, JSON.stringify(capabilities));

  const wasmPack = ["wasm-pack", "test", "--headless", "--chrome", "--chromedriver", findChromedriver()];
  const env = { WASM_BINDGEN_TEST_WEBDRIVER_JSON: webdriver, WASM_BINDGEN_TEST_TIMEOUT: "300" };
  await runner("Rust in a browser", [...wasmPack, "--mode", "no-install", "--", "--test", "browser"], cargoCounts, { env });
}

async function packageTests() {
  if (await built()) await nodeTests("the package in a browser", "tests/package");
}

/** The same tests in a second browser, as far as they use a page. */
async function firefox() {
  if (!(await built())) return;
  const usesPage = (file) => readFileSync(join(root, file), "utf8").includes("pageTest(");
  await nodeTests("the package in Firefox", "tests/package", { only: usesPage, env: { BROWSER: "firefox" } });
}

async function built() {
  const ok = await build();
  count(ok);
  if (ok) printSizes(sizes());
  return ok;
}

async function interop() {
  const own = ["--manifest-path", "tests/interop/Cargo.toml", "--target-dir", "target/interop"];
  await runner("the codes of vyre-driver", ["cargo", "test", ...own], cargoCounts);
}

/** Runs the `*.test.mjs` of a folder, file after file: the tests measure and wait, and share one machine. */
async function nodeTests(title, folder, { only = () => true, env } = {}) {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".test.mjs"));
  const files = names.map((name) => join(folder, name)).filter(only);
  const node = [process.execPath, "--test", "--test-concurrency=1", "--test-reporter=spec"];
  const report = (output) => output.slice(Math.max(0, output.indexOf("✖ failing tests:")));
  await runner(title, [...node, ...files], nodeCounts, { report, env });
}

/** A step that runs tests: what it says it ran is what counts, and having run none is a failure. */
async function runner(title, command, countsOf, options) {
  const { ok, output } = await step(title, command, options);
  const { passed, failed, skipped = 0 } = countsOf(output);
  if (passed + failed === 0) console.log(`  FAILED  ${title}: no test ran`);
  else console.log(`      ${title}: ${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ""}`);
  totals.passed += passed;
  totals.skipped += skipped;
  // A runner can fail without a failed test: a file that does not compile, a browser that does not start.
  totals.failed += failed || (ok && passed ? 0 : 1);
}

/** Cargo's own tests and wasm-bindgen's end with the same line, once for each test program. */
function cargoCounts(output) {
  const lines = [...output.matchAll(/^test result: .* (\d+) passed; (\d+) failed/gm)];
  const sum = (group) => lines.reduce((total, line) => total + Number(line[group]), 0);
  return { passed: sum(1), failed: sum(2) };
}

function nodeCounts(output) {
  const number = (name) => Number(output.match(new RegExp(`^ℹ ${name} (\\d+)`, "m"))?.[1] ?? 0);
  return { passed: number("pass"), failed: number("fail") + number("cancelled"), skipped: number("skipped") };
}
