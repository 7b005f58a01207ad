// Sets up, builds, serves the demo and opens it. With --headless: runs its image job in headless Chromium instead,
// prints what it found, writes a screenshot to test-results/, and exits.
// Options: --headless, --port N, --no-open.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import { parseArgs } from "node:util";

import { build } from "./build.mjs";
import { root } from "./machine.mjs";
import { serve } from "./serve.mjs";
import { setUp } from "./setup.mjs";

const usualPort = 8080;
const jobTimeoutMs = 120_000;

const { values: options } = parseArgs({
  options: { headless: { type: "boolean" }, port: { type: "string" }, "no-open": { type: "boolean" } },
});

if (!(await setUp()) || !(await build())) process.exit(1);

const folders = { "/": join(root, "www"), "/dist/": join(root, "dist") };
const server = await listen();

if (options.headless) {
  process.exitCode = (await runHeadless(server.url)) ? 0 : 1;
  await server.close();
} else {
  console.log(`\nThe demo: ${server.url}  (stop with Ctrl+C)`);
  if (!options["no-open"]) open(server.url);
}

/** The port asked for; else the usual one, or a free one where that is taken. */
async function listen() {
  if (options.port) return serve(folders, { port: Number(options.port) });
  if (options.headless) return serve(folders);
  return serve(folders, { port: usualPort }).catch(() => serve(folders));
}

/** Opens the user's browser; where there is none, the printed address has to do. */
function open(url) {
  const [program, ...args] = { darwin: ["open"], win32: ["cmd", "/c", "start"] }[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}

/** Runs the demo's image job: the page says that it is done, and how it went, in `window.demoResult`. */
async function runHeadless(url) {
  const { launchChromium } = await import("./chromium.mjs");
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(`console error: ${message.text()}`);
    });
    page.on("pageerror", (error) => complaints.push(`uncaught: ${error?.stack || error}`));

    console.log("run the demo's image job in headless Chromium");
    await page.goto(url);
    const done = await page
      .waitForFunction(() => window.demoResult, undefined, { timeout: jobTimeoutMs })
      .catch(() => undefined);
    const result = await done?.jsonValue();
    for (const line of result?.lines ?? [`no result within ${jobTimeoutMs / 1000} s`]) console.log(`  ${line}`);

    const screenshot = join(root, "test-results/demo.png");
    mkdirSync(join(root, "test-results"), { recursive: true });
    await page.screenshot({ path: screenshot, fullPage: true });
    console.log(`  screenshot: ${relative(root, screenshot)}`);

    for (const complaint of complaints) console.log(`  ${complaint}`);
    const ok = result?.ok === true && complaints.length === 0;
    console.log(ok ? "  ok" : "  FAILED");
    return ok;
  } finally {
    await browser.close();
  }
}
