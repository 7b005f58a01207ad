// Acquiring, and acquiring again when the wasm has panicked.

import assert from "node:assert/strict";
import { mock, test } from "node:test";

import {
  acquire,
  adapters,
  core,
  fake,
  failureOf,
  floats,
  gpu,
  isAvailable,
  navigate,
  panic,
  task,
  thrown,
} from "./fake_gpu.mjs";

test("after a panic every call rejects at once, and the next acquire starts anew", async () => {
  const [x, kernel] = [floats("x"), gpu.kernel("")];
  const pending = [gpu.flush(), x.read(), kernel.run({ x: [1] }), x.ready];
  panic(gpu);
  for (const promise of pending) {
    const { code, message } = await failureOf(promise);
    assert.deepEqual([code, message], ["PoisonedLock", "The wasm instance stopped: panicked on purpose."]);
  }
  panic(gpu);
  for (const promise of [gpu.flush(), x.read(), kernel.dispatch({ x }), gpu.batch(() => {})]) {
    assert.equal((await failureOf(promise)).retry, "new-device");
  }
  for (const act of [() => gpu.buffer(Float32Array.of(1)), () => x.fill(0), () => gpu.stats(), () => gpu.memory()]) {
    assert.match(thrown(act), /^PoisonedLock/);
  }
  assert.equal(gpu.state, "failed");
  assert.equal(gpu.device, undefined);
  const stale = core.calls.length;
  x.destroy();
  kernel.destroy();
  await gpu.close();
  assert.equal(core.calls.length, stale, "nothing stale is freed");

  const { resets } = fake;
  const fresh = await acquire();
  assert.equal(fake.resets, resets + 1);
  const flush = fresh.flush();
  fake.host.resolve(fake.core.calls.at(-1)[1], undefined);
  await flush;
  assert.equal((await failureOf(fresh.kernel("").dispatch({ x }))).code, "PoisonedLock");
});

test("a trap without a panic hook is noticed by the export that it ends", async () => {
  const x = floats("x");
  const flush = gpu.flush();
  fake.traps.add("fill");
  assert.equal(
    thrown(() => x.fill(0)),
    "PoisonedLock panicked: The wasm instance stopped: unreachable.",
  );
  assert.ok((await failureOf(flush)).cause instanceof WebAssembly.RuntimeError);
});

test("a panic that hits no call is told to every Gpu", async () => {
  const other = await acquire();
  const events = [];
  for (const each of [gpu, other]) {
    each.addEventListener("uncaptured", (event) => {
      events.push(event.detail.error.code);
      event.preventDefault();
    });
  }
  fake.host.panicked("in a continuation");
  await task();
  assert.deepEqual(events, ["PoisonedLock", "PoisonedLock"]);
});

test("acquire() refuses options it does not know, before anything else", async () => {
  navigate(undefined);
  for (const options of [
    { worker: 1 },
    { limits: 5 },
    { features: "x" },
    { strict: "yes" },
    { wasm: 5 },
    { signal: 1 },
  ]) {
    assert.equal((await failureOf(acquire(options))).reason, "argument-invalid");
  }
  assert.equal((await failureOf(acquire(null))).reason, "argument-invalid");
});

test("acquire() says why there can be no WebGPU", async () => {
  navigate(undefined);
  assert.equal((await failureOf(acquire())).reason, "webgpu-unavailable");
  globalThis.isSecureContext = false;
  assert.equal((await failureOf(acquire())).reason, "insecure-context");
  delete globalThis.isSecureContext;
  assert.equal(await isAvailable(), false);
  navigate(adapters);
  assert.equal(await isAvailable(), true);
});

test("isAvailable() asks a second time, and is false for whatever goes wrong", async () => {
  const answers = [null, {}];
  navigate({ requestAdapter: async () => answers.shift() ?? null });
  assert.equal(await isAvailable(), true);
  assert.equal(await isAvailable(), false);
  navigate({ requestAdapter: () => assert.fail("broken") });
  assert.equal(await isAvailable(), false);
});

test("an aborted or late acquire gives back the device that comes after all", async () => {
  fake.answers = false;
  const controller = new AbortController();
  const acquiring = acquire({ signal: controller.signal });
  await task();
  controller.abort("enough");
  assert.equal(await failureOf(acquiring), "enough");
  fake.answers = true;
  const late = fake.acquired;
  await acquire();
  const given = new fake.core.constructor();
  fake.host.resolve(late.call, given);
  assert.deepEqual(
    given.calls.map(([name]) => name),
    ["close"],
  );
  assert.equal(await failureOf(acquire({ signal: AbortSignal.abort("before") })), "before");
});

test("acquire() gives up after 30 s in which the page was visible", async () => {
  const page = Object.assign(new EventTarget(), { visibilityState: "visible" });
  globalThis.document = page;
  mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  mock.method(performance, "now", () => now);
  const pass = (ms) => {
    now += ms;
    mock.timers.tick(ms);
  };
  const show = (state) => {
    page.visibilityState = state;
    page.dispatchEvent(new Event("visibilitychange"));
  };
  fake.answers = false;
  let failure;
  acquire().catch((error) => (failure = error));
  for (let i = 0; i < 10; i++) await null;
  pass(20_000);
  show("hidden");
  pass(100_000);
  show("visible");
  pass(9_000);
  await null;
  assert.equal(failure, undefined);
  pass(1_000);
  for (let i = 0; i < 10; i++) await null;
  assert.deepEqual(
    [failure?.code, failure?.reason, failure?.context.timeoutMs],
    ["ExecutionAborted", "timeout", 30_000],
  );
  delete globalThis.document;
});
