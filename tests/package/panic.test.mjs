// A panic inside the wasm never hangs a page or a worker: all is told at once, and acquire() works again.

import assert from "node:assert/strict";

import { pageTest } from "./harness.mjs";

/** Runs in the page: panics with a promise of every kind pending, `rounds` times over, in fresh instances. */
async function panics({ acquire, out, inout, ComputeError }, { testing, rounds }) {
  const { panic } = await import(testing);
  const wgsl = `
    @group(0) @binding(0) var<storage, read_write> n: array<u32>;
    @compute @workgroup_size(1) fn increment(@builtin(global_invocation_id) id: vec3u) { n[id.x] += 1u; }`;
  const expected = (error) => error instanceof ComputeError && error.stableId === 1003 && error.code === "PoisonedLock"
    && error.retry === "new-device" && error.reason === "panicked";
  const seen = [];
  const stale = [];
  for (let round = 0; round < rounds; round++) {
    const [gpu, second] = await Promise.all([acquire(), acquire()]);
    const events = [];
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), events.push(event.detail.error)));
    const kernel = gpu.kernel(wgsl);
    const n = gpu.buffer(Uint32Array.of(1, 2, 3));
    const part = n.subarray(0);
    const bound = kernel.bind({ n });
    const double = gpu.elementwise("x * 2");
    await kernel.dispatch({ n });

    let read;
    const promises = {
      "buffer.ready": gpu.buffer({ dtype: "f32", length: 1 }).ready,
      "kernel.ready": gpu.kernel(wgsl.replace("increment", `other${round}`)).ready,
      run: kernel.run({ n: inout(Uint32Array.of(1)) }),
      dispatch: kernel.dispatch({ n }),
      bound: bound.dispatch({ timing: true }),
      read: n.read(),
      readInto: n.readInto(new Uint32Array(3)),
      elementwise: double([1, 2]),
      batch: gpu.batch((batch) => void (read = batch.read(n))),
      "batch.read": read,
      flush: gpu.flush({ timeoutMs: 60_000 }),
      acquire: acquire(),
      "another Gpu": second.flush(),
    };
    void kernel.dispatch({ n });
    const pending = Object.values(promises).map((promise) => promise.catch((error) => error));
    panic(gpu);
    panic(gpu);
    const errors = await Promise.all(pending);
    const wrong = Object.keys(promises).filter((_, at) => !expected(errors[at]));

    const later = {
      run: () => kernel.run({ n: out("u32", 1) }), dispatch: () => kernel.dispatch({ n }), bound: () => bound.dispatch(),
      read: () => n.read(), part: () => part.read(), ready: () => n.ready, flush: () => gpu.flush(),
      batch: () => gpu.batch(() => {}), elementwise: () => double([1]), "another Gpu": () => second.flush(),
      buffer: async () => gpu.buffer(Uint32Array.of(1)), kernel: async () => gpu.kernel(wgsl),
      write: async () => n.write([1]), fill: async () => n.fill(1), copyTo: async () => n.copyTo(n, { end: 1, at: 2 }),
      memory: async () => gpu.memory(), stats: async () => gpu.stats(), bind: async () => kernel.bind({ n }),
    };
    for (const [name, act] of Object.entries(later)) {
      if (!expected(await act().catch((error) => error))) wrong.push(`later ${name}`);
    }
    const states = [gpu.state, second.state, gpu.device, n.gpuBuffer, events.length];
    stale.push({ gpu, n, part, kernel, bound });

    const next = await acquire();
    const fresh = next.buffer(Uint32Array.of(10 + round));
    const increment = next.kernel(wgsl);
    // Stale handles must not reach into the new instance, where their numbers mean something else.
    for (const old of stale) {
      old.n.destroy();
      old.part[Symbol.dispose]();
      old.kernel.destroy();
      await old.gpu.close();
      const foreign = [increment.dispatch({ n: old.n }), next.batch((batch) => batch.read(old.n))];
      for (const call of foreign) if (!expected(await call.catch((error) => error))) wrong.push("foreign");
    }
    await increment.dispatch({ n: fresh });
    const value = (await fresh.read())[0];
    await doGoodJob(next);
    await next.close();
    seen.push({ wrong, states, isRight: value === 11 + round });
  }
  return seen;
}

for (const worker of [false, true]) {
  pageTest(`after a panic in a ${worker ? "worker" : "page"} all is rejected and acquire() works again, several times`, { worker }, async ({ run, expectConsole }) => {
    expectConsole(/panicked on purpose/);
    const testing = worker ? "/node_modules/steadfast-gpu/dist/testing.js" : "steadfast-gpu/testing";
    const seen = await run(panics, { testing, rounds: 4 });
    const round = { wrong: [], states: ["failed", "failed", undefined, undefined, 0], isRight: true };
    assert.deepEqual(seen, new Array(4).fill(round));
  });
}

pageTest("a panic that hits no call is told to nobody but who asked for it", async ({ run, expectConsole }) => {
  expectConsole(/panicked on purpose/);
  const seen = await run(async ({ acquire }) => {
    const { panic } = await import("steadfast-gpu/testing");
    const gpu = await acquire();
    const events = [];
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), events.push(event.detail.error.code)));
    const refused = await failureOf(async () => panic({}));
    panic(gpu);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const message = (await failureOf(gpu.flush())).message;
    const next = await acquire();
    panic(gpu);
    await doGoodJob(next);
    await next.close();
    return { events, message, refused: [refused.stableId, refused.reason] };
  });
  assert.match(seen.message, /^The wasm instance stopped: .*panicked on purpose\.$/);
  assert.deepEqual([seen.events, seen.refused], [[], [1006, "argument-invalid"]]);
});
