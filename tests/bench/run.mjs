// Compares the package with hand-written WebGPU in one page on one device, prints the ratios, writes them as JSON.
// Options: --rows TEXT (only rows whose name has TEXT in it; may be repeated), --rounds N, --list.
// A slow result is a result: only a failure to measure ends with an exit code other than 0.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg } from "node:os";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

import { launchChromium } from "../../.ci/chromium.mjs";
import { root } from "../../.ci/machine.mjs";
import { serve } from "../../.ci/serve.mjs";
import { summaryOf } from "./summary.mjs";
import { headings, lineOf } from "./table.mjs";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", multiple: true, default: [""] },
    rounds: { type: "string", default: "21" },
    list: { type: "boolean", default: false },
  },
});
const rounds = Number(options.rounds);
if (!Number.isInteger(rounds) || rounds < 1)
  throw new Error(`--rounds must be a whole number, but is ${options.rounds}`);

// Isolated, so that the page's clock counts in 5 µs and not in 100 µs.
const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
const imports = JSON.stringify({ imports: { "steadfast-gpu": "/dist/index.js" } });
const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>steadfast-gpu bench</title>
<link rel="icon" href="data:,"><script type="importmap">${imports}</script><script type="module" src="/page.js"></script>`;

const server = await serve(
  { "/": join(root, "tests/bench/page"), "/dist/": join(root, "dist") },
  { pages: { "/": { body, headers: isolated } } },
);
const browser = await launchChromium({ flags: ["--js-flags=--expose-gc"] });
try {
  const page = await browser.newPage();
  const complaint = new Promise((_, reject) => page.on("pageerror", reject));
  complaint.catch(() => {});
  await page.goto(server.url);
  await Promise.race([page.waitForFunction(() => globalThis.bench), complaint]);

  const { rows, info } = await page.evaluate(() => ({ rows: bench.rows, info: bench.info }));
  const chosen = rows.flatMap((row, index) =>
    options.rows.some((text) => row.name.includes(text)) ? [{ ...row, index }] : [],
  );
  if (chosen.length === 0) throw new Error(`No row has any of these in its name: ${options.rows.join(", ")}`);
  if (options.list) chosen.forEach((row) => console.log(`${row.name} (${row.against})`));
  else await compare(page, chosen, { info, version: browser.version() });
} finally {
  await browser.close();
  await server.close();
}

async function compare(page, chosen, { info, version }) {
  const adapter = [info.vendor, info.architecture].filter(Boolean).join(" ");
  console.log(
    `Chromium ${version}, adapter ${adapter}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`,
  );
  console.log(`${rounds} rounds in shuffled order; ratio: median over the rounds of ours / raw; control: raw / raw.`);
  console.log("within: at most the budget plus the noise that the control shows. Times are for this machine alone.\n");
  console.log(headings());

  const packageGz = packageBytes(await page.evaluate(() => bench.loaded()));
  const wasmBefore = await page.evaluate(() => bench.wasmBytes());
  const results = [];
  for (const row of chosen) {
    const samples = await page.evaluate(([index, count]) => bench.measure(index, count), [row.index, rounds]);
    const { index, ...named } = row;
    const result = { ...named, ...summaryOf(samples, row.budget), samples };
    results.push(result);
    console.log(lineOf(result));
  }
  const wasmAfter = await page.evaluate(() => bench.wasmBytes());

  console.log(`\npackage as the page loads it: ${(packageGz / 1000).toFixed(1)} KB gz (budget 60 KB)`);
  console.log(`wasm memory: ${wasmBefore} bytes before, ${wasmAfter} after, grown by ${wasmAfter - wasmBefore}`);
  const over = results.filter((result) => result.verdict === "over");
  for (const row of over) console.log(`over budget: ${row.name} (${row.against})`);

  const file = join(root, "bench-results", `${new Date().toISOString().replace(/[:.]/g, "-")}.json`);
  mkdirSync(join(root, "bench-results"), { recursive: true });
  const machine = {
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    load: loadavg(),
    chromium: version,
    adapter: info,
  };
  const report = {
    date: new Date().toISOString(),
    machine,
    rounds,
    rows: results,
    packageGzBytes: packageGz,
    wasmBefore,
    wasmAfter,
  };
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`);
  console.log(`written to ${relative(root, file)}`);
}

/** The package's files among those the page loaded, gzipped one by one. */
function packageBytes(paths) {
  const files = [...new Set(paths)].filter((path) => path.startsWith("/dist/"));
  return files.reduce((sum, path) => sum + gzipSync(readFileSync(join(root, path)), { level: 9 }).length, 0);
}
