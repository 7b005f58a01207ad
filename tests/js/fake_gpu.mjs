// A Gpu over the fake wasm, fresh for each test, and the few words of the tests about it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, mock } from "node:test";

import { modulesOf } from "./modules.mjs";

const script = ["acquire", "data", "errors", "testing"].map((name) => `export * from "./${name}.js";`).join("\n");
const glue = readFileSync(new URL("fake_wasm.js", import.meta.url), "utf8");
const modules = await modulesOf(script, glue);
export const { classify, ComputeError, inout, isAvailable, out, panic } = modules;

/** A module that exports a memory under the name by which the package knows its own file. */
const name = [...new TextEncoder().encode("__instance_terminated")];
const exported = [1, name.length, ...name, 2, 0];
const wasm = Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 5, 3, 1, 0, 1, 7, exported.length, ...exported);
export const acquire = (options = {}) => modules.acquireWith(async () => wasm, options);

/**
 * The fake wasm's side of the boundary: the host it was started with, the last acquire and its core, how often it was
 * reset; and what a test wants of it: not to answer, to trap in a method once, to throw something there.
 */
export const fake = {
  host: undefined,
  acquired: undefined,
  core: undefined,
  resets: 0,
  answers: true,
  traps: new Set(),
  throws: new Map(),
};
globalThis.fake = fake;

/** The Gpu of this test, its core, and the errors that were written to the console. */
export let gpu;
export let core;
export let shown;

/** What `navigator.gpu` is, until the test ends. */
export const adapters = { requestAdapter: async () => ({}) };
let webgpu = adapters;
export const navigate = (to) => (webgpu = to);
Object.defineProperty(globalThis, "navigator", { configurable: true, get: () => ({ gpu: webgpu }) });

const unhandled = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

beforeEach(async () => {
  shown = [];
  mock.method(console, "error", (error) => error instanceof ComputeError && shown.push(error));
  gpu = await acquire();
  core = fake.core;
});

afterEach(() => {
  mock.restoreAll();
  mock.timers.reset();
  webgpu = adapters;
  fake.answers = true;
  fake.throws.clear();
  assert.deepEqual(unhandled, [], "no unhandled rejection, ever");
});

/** Long enough for what waits for the next task. */
export const task = () => new Promise((resolve) => setTimeout(resolve, 5));

/** How the core of the last acquired Gpu was called by this method: each call's arguments. */
export const called = (name) => fake.core.calls.filter(([method]) => method === name).map(([, ...args]) => args);
export const lastCall = (name) => called(name).at(-1);

/** Two floats on the GPU. */
export const floats = (label) => gpu.buffer(Float32Array.of(1, 2), { label });

/** What a promise rejects with. */
export const failureOf = (promise) =>
  promise.then(
    () => assert.fail("did not reject"),
    (error) => error,
  );

/** The code, reason and message of what an act throws at once. */
export function thrown(act) {
  try {
    act();
  } catch (error) {
    assert.ok(error instanceof ComputeError, String(error));
    return `${error.code} ${error.reason}: ${error.message}`;
  }
  return assert.fail("did not throw");
}
