// The packed tarball, unpacked and served to a real browser page; one wrapper round every test. The browser is
// Chromium, or Firefox with BROWSER=firefox.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

import { launchChromium } from "../../.ci/chromium.mjs";
import { env, root } from "../../.ci/machine.mjs";
import { serve } from "../../.ci/serve.mjs";
import { launch, workerOf, workerScript } from "./firefox.mjs";

/** Whether it is Firefox, where an expectation is not the same. */
export const isFirefox = process.env.BROWSER === "firefox";

/** With both, Chromium gives a page a new device after every death of the GPU process, not after the first alone. */
export const keepsRecovering = ["--disable-domain-blocking-for-3d-apis", "--disable-gpu-process-crash-limit"];

/** Console messages of these types fail a test that did not ask for them. */
const complaints = new Set(["error", "warning", "assert"]);

/** What Chromium may say by itself when its GPU process dies. */
const crashNoise = /A valid external Instance reference no longer exists/;

/** What Firefox says by itself of WGSL that it refuses and of a lost device, and rejections whose event was ended. */
const firefoxNoise = [
  /^console error: (Parent device is lost|Encountered one or more errors while creating shader module|\s*Shader '.*' parsing error|\s*Shader validation error)/,
  /^uncaught: .*(Module terminated|Cannot invoke closure from previous WASM instance)/,
];

const cleanups = [];
after(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup();
});

/** Runs `make` at the first call only. */
function once(make) {
  let made;
  return () => (made ??= make());
}

/** The tarball and a folder where it is installed: `{ tarball, folder, installed }`. */
export const packed = once(() => {
  const folder = mkdtempSync(join(tmpdir(), "steadfast-gpu-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const pack = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const [{ filename }] = Object.values(JSON.parse(execFileSync("npm", pack, { cwd: root, env, encoding: "utf8" })));
  const tarball = join(folder, filename);
  const installed = join(folder, "node_modules/steadfast-gpu");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball, "-C", installed, "--strip-components", "1"]);
  return { tarball, folder, installed };
});

const inPage = readFileSync(fileURLToPath(new URL("in_page.js", import.meta.url)), "utf8");

/** URLs of the package's scripts, as an import map has them. */
function importMap() {
  const { exports } = JSON.parse(readFileSync(join(packed().installed, "package.json"), "utf8"));
  const url = (path) => `/node_modules/steadfast-gpu/${path.slice(2)}`;
  const scripts = Object.entries(exports).filter(([, entry]) => entry.default);
  return Object.fromEntries(scripts.map(([name, entry]) => [`steadfast-gpu${name.slice(1)}`, url(entry.default)]));
}

/** A page without a bundler, in which `import "steadfast-gpu"` works. */
function emptyPage() {
  const imports = JSON.stringify({ imports: importMap() });
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>steadfast-gpu test</title>
<link rel="icon" href="data:,">
<script type="importmap" nonce="harness">${imports}</script>
`;
}

/** Documents of the server, by path; a test file may add its own. */
export const pages = {};

const server = once(async () => {
  pages["/"] = { body: emptyPage() };
  // What a strict site sends: scripts of its own, and no WebAssembly.
  pages["/no-wasm"] = { body: emptyPage(), headers: { "content-security-policy": "script-src 'self' 'nonce-harness'" } };
  // What a site sends whose pages share memory with workers.
  const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
  pages["/isolated"] = { body: emptyPage(), headers: isolated };
  pages["/worker.js"] = { body: isFirefox ? inPage + workerScript : inPage };
  const served = await serve({ "/node_modules/": join(packed().folder, "node_modules") }, { pages });
  cleanups.push(() => served.close());
  return served;
});

const browsers = new Map();

/** One browser for each set of launch options. */
function browserWith(options) {
  const key = JSON.stringify(options);
  if (!browsers.has(key)) {
    const started = isFirefox ? launch() : launchChromium(options);
    browsers.set(key, started);
    cleanups.push(async () => (await started).close());
  }
  return browsers.get(key);
}

/**
 * A test in a fresh page. It fails on everything the page complains of that was not asked for: an uncaptured GPU error,
 * an unhandled rejection, an uncaught error, a console error or warning.
 *
 * @param {string} name a sentence about behaviour
 * @param {object} [options]
 * @param {string} [options.path] the page, from `pages`
 * @param {(() => void) | string} [options.init] runs in the page before anything else; text where it is more than one
 * @param {string} [options.host] another host name, which the browser must be told to find (`flags`)
 * @param {boolean} [options.worker] run in a module worker of the page
 * @param {string[]} [options.flags] more launch flags
 * @param {boolean} [options.only] `flags` alone, without WebGPU's
 * @param {number} [options.timeout] ms for the whole test
 * @param {string} [options.chromiumOnly] why it cannot run in Firefox, where launch flags and the death of the GPU
 *   process do not say so
 * @param {(t: Page) => Promise<void>} body
 *
 * @typedef {object} Page
 * @property {import("playwright-core").Page} page
 * @property {(fn: (steadfast: object, arg: any) => any, arg?: any) => Promise<any>} run
 *   Runs a function in the page (or worker) with the package and a JSON argument. It is sent as text: it sees nothing
 *   of the test file, but `failureOf` and `doGoodJob` of in_page.js.
 * @property {(text: RegExp) => void} expectConsole a complaint that must come, before the test ends
 * @property {() => Promise<void>} crashGpuProcess
 * @property {(signal: string) => Promise<void>} signalGpuProcess sends the GPU process a signal of the system, as the
 *   system does when memory runs out (SIGKILL), or so that nothing answers and nothing is lost (SIGSTOP, SIGCONT)
 */
export function pageTest(name, options, body) {
  if (typeof options === "function") return pageTest(name, {}, options);
  const { path = "/", host, init, worker = false, flags = [], only = false, timeout = 60_000 } = options;
  const skip = isFirefox && whyNotFirefox(options, body);

  return test(name, { timeout, skip }, async () => {
    const { url, port } = await server();
    const browser = await browserWith({ flags, only });
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      const complained = [];
      const expected = [];
      const tolerated = isFirefox ? [...firefoxNoise] : [];
      page.on("console", (message) => {
        if (complaints.has(message.type())) complained.push(`console ${message.type()}: ${message.text()}`);
      });
      page.on("pageerror", (error) => complained.push(`uncaught: ${error?.stack || error}`));
      page.on("crash", () => complained.push("the page crashed"));
      if (init) await page.addInitScript(typeof init === "string" ? { content: init } : init);
      await page.addInitScript(inPage);
      await page.goto(host ? `http://${host}:${port}${path}` : new URL(path, url).href);

      const where = worker ? await startWorker(page) : page;
      const entry = worker ? importMap()["steadfast-gpu"] : "steadfast-gpu";
      await body({
        page,
        run: (fn, arg) =>
          where.evaluate(`import(${JSON.stringify(entry)}).then((steadfast) => {
            globalThis.steadfast = steadfast;
            return (${fn})(steadfast, ${JSON.stringify(arg)});
          })`),
        expectConsole: (text) => expected.push(text),
        async crashGpuProcess() {
          tolerated.push(crashNoise);
          const session = await browser.newBrowserCDPSession();
          await session.send("Browser.crashGpuProcess");
          await session.detach();
        },
        async signalGpuProcess(signal) {
          if (signal === "SIGKILL") tolerated.push(crashNoise);
          const session = await browser.newBrowserCDPSession();
          const { processInfo } = await session.send("SystemInfo.getProcessInfo");
          await session.detach();
          process.kill(processInfo.find(({ type }) => type === "GPU").id, signal);
        },
      });
      await where.evaluate("settleDevices()");

      const asked = [...expected, ...tolerated];
      const unasked = complained.filter((text) => !asked.some((pattern) => pattern.test(text)));
      const unseen = expected.filter((pattern) => !complained.some((text) => pattern.test(text)));
      if (unasked.length) throw new Error(`the page complained:\n${unasked.join("\n")}`);
      if (unseen.length) throw new Error(`expected on the console, but not seen: ${unseen.join(", ")}`);
    } finally {
      await context.close();
    }
  });
}

function whyNotFirefox({ chromiumOnly, flags = [] }, body) {
  if (chromiumOnly) return chromiumOnly;
  if (flags.length) return "it needs launch flags of Chromium";
  return /(crash|signal)GpuProcess/.test(body) && "it needs Chromium's protocol to reach the GPU process";
}

/** The worker runs in_page.js; the test's functions come to it through `evaluate`. */
async function startWorker(page) {
  const started = isFirefox ? workerOf(page) : page.waitForEvent("worker");
  await page.evaluate(() => {
    globalThis.worker = new Worker("/worker.js", { type: "module" });
  });
  return started;
}
