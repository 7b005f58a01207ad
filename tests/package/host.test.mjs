// Where the package cannot compute it says why, and importing it does nothing, anywhere.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";

import { packed, pageTest } from "./harness.mjs";

const insecure = { host: "insecure.test", flags: ["--host-resolver-rules=MAP insecure.test 127.0.0.1"] };
const withoutAdapter = { flags: ["--headless", "--no-sandbox"], only: true };

/** Runs a module in Node, in a folder where the package is installed; gives what it logs as JSON. It ends by itself. */
async function inNode(module) {
  const node = ["--input-type=module", "--eval", module];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, node, {
    cwd: packed().folder,
    timeout: 20_000,
  });
  assert.equal(stderr, "");
  return JSON.parse(stdout);
}

for (const entry of ["steadfast-gpu", "steadfast-gpu/external", "steadfast-gpu/errors"]) {
  test(`importing ${entry} in Node adds no global, and Node ends`, async () => {
    const added = await inNode(`
      const before = new Set(Reflect.ownKeys(globalThis));
      await import("${entry}");
      console.log(JSON.stringify(Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String)));
    `);
    assert.deepEqual(added, []);
  });
}

for (const entry of ["steadfast-gpu", "steadfast-gpu/external"]) {
  test(`acquire() of ${entry} in Node rejects UnsupportedFeature`, async () => {
    const { error, isComputeError, available } = await inNode(`
      import { acquire, ComputeError, isAvailable } from "${entry}";
      const error = await acquire().catch((error) => error);
      const available = await isAvailable();
      console.log(JSON.stringify({ error, isComputeError: error instanceof ComputeError, available }));
    `);
    assert.ok(isComputeError);
    assert.equal(available, false);
    assert.deepEqual([error.stableId, error.reason, error.operation], [1002, "webgpu-unavailable", "acquire"]);
    assert.equal(error.message, "This environment has no WebGPU: navigator.gpu is absent.");
  });
}

/** The failure of acquire() in this page, twice: the first leaves nothing behind that changes the second. */
async function refusals(run) {
  return run(async ({ acquire, isAvailable }) => [
    await failureOf(acquire),
    await failureOf(() => acquire()),
    await isAvailable(),
  ]);
}

function assertRefused([first, second, available], { reason, operation = "acquire", message }) {
  assert.equal(available, false);
  assert.ok(first.isComputeError);
  assert.equal(first.name, "ComputeError");
  assert.equal(first.code, "UnsupportedFeature");
  assert.equal(first.stableId, 1002);
  assert.equal(first.retry, "never");
  assert.equal(first.reason, reason);
  assert.equal(first.operation, operation);
  assert.equal(first.message, message);
  assert.deepEqual(second, first);
}

function deleteNavigatorGpu() {
  delete Navigator.prototype.gpu;
}

pageTest("without navigator.gpu, acquire() rejects UnsupportedFeature", { init: deleteNavigatorGpu }, async ({ run }) => {
  assertRefused(await refusals(run), {
    reason: "webgpu-unavailable",
    message: "This environment has no WebGPU: navigator.gpu is absent.",
  });
});

pageTest("in an insecure context, acquire() says that this is why", insecure, async ({ run }) => {
  assertRefused(await refusals(run), {
    reason: "insecure-context",
    message: "WebGPU is hidden because the page is not a secure context.",
  });
});

pageTest("without an adapter, acquire() rejects UnsupportedFeature", withoutAdapter, async ({ run, expectConsole }) => {
  expectConsole(/No available adapters/);
  assertRefused(await refusals(run), {
    reason: "adapter-unavailable",
    message: "The browser has WebGPU but no adapter for it.",
  });
});

function loseFirstAdapter() {
  const requestAdapter = GPU.prototype.requestAdapter;
  globalThis.adaptersAsked = 0;
  GPU.prototype.requestAdapter = function (...args) {
    adaptersAsked += 1;
    return adaptersAsked === 1 ? Promise.resolve(null) : requestAdapter.apply(this, args);
  };
}

pageTest("a first null adapter is asked for once more", { init: loseFirstAdapter }, async ({ run }) => {
  const asked = await run(async ({ acquire }) => {
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return adaptersAsked;
  });
  assert.equal(asked, 2);
});

pageTest("where the page's policy forbids wasm, acquire() says so", { path: "/no-wasm" }, async ({ run }) => {
  const [first, second, available] = await refusals(run);
  assertRefused([first, second, false], {
    reason: "wasm-blocked",
    operation: "load",
    message: "The page's Content-Security-Policy forbids WebAssembly.",
  });
  assert.equal(available, true, "an adapter answers; it is the page that forbids");
  const cause = await run(({ acquire }) => acquire().catch((error) => error.cause.constructor.name));
  assert.equal(cause, "CompileError");
});

/** Notes every way in which an import could reach out. */
function watchReach() {
  globalThis.reached = [];
  const watched = [
    [WebAssembly, ["compile", "compileStreaming", "instantiate", "instantiateStreaming", "Module", "Instance"]],
    [globalThis, ["fetch", "setTimeout", "setInterval", "Worker", "DecompressionStream", "addEventListener"]],
    [GPU.prototype, ["requestAdapter"]],
  ];
  for (const [owner, names] of watched) {
    for (const name of names) {
      owner[name] = new Proxy(owner[name], {
        apply: (target, self, args) => (reached.push(name), Reflect.apply(target, self, args)),
        construct: (target, args) => (reached.push(name), Reflect.construct(target, args)),
      });
    }
  }
}

pageTest("importing in a page does nothing but import", { init: watchReach }, async ({ page }) => {
  const seen = await page.evaluate(async () => {
    const before = new Set(Reflect.ownKeys(globalThis));
    const earlier = reached.length;
    await import("steadfast-gpu");
    await import("steadfast-gpu/errors");
    const globals = Reflect.ownKeys(globalThis).filter((key) => !before.has(key));
    return { reached: reached.slice(earlier), globals: globals.map(String) };
  });
  assert.deepEqual(seen, { reached: [], globals: [] });
});

for (const worker of [false, true]) {
  pageTest(`acquire() works in a ${worker ? "module worker" : "page"}`, { worker }, async ({ run }) => {
    const { available, state } = await run(async ({ acquire, isAvailable }) => {
      const available = await isAvailable();
      const gpu = await acquire();
      await doGoodJob(gpu);
      await gpu.close();
      return { available, state: gpu.state };
    });
    assert.deepEqual({ available, state }, { available: true, state: "closed" });
  });
}
