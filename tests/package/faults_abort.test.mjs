// Callers that stop waiting: signals, timeouts, closing, and work that never ends.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { keepsRecovering, pageTest } from "./harness.mjs";

const recovers = { flags: keepsRecovering };

/** For `init`: a kernel that ends when nothing does. */
function endlessKernel() {
  globalThis.endless = (gpu) =>
    gpu.kernel(
      `@group(0) @binding(0) var<storage, read_write> flag: array<atomic<u32>, 2>;
       @compute @workgroup_size(1) fn main() { while (atomicLoad(&flag[0]) == 0u) { atomicAdd(&flag[1], 1u); } }`,
      { label: "endless" },
    );
}

pageTest("a signal rejects with its own reason, before and after the call, whatever that is", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(new Float32Array(1 << 20), { label: "data" });
    const reasons = { text: "why", null: null, error: new TypeError("mine"), object: { own: true } };
    const seen = {};
    for (const [what, reason] of Object.entries(reasons)) {
      const already = await buffer.read({ signal: AbortSignal.abort(reason) }).catch((thrown) => thrown === reason);
      const stop = new AbortController();
      const pending = buffer.read({ signal: stop.signal }).catch((thrown) => thrown === reason);
      stop.abort(reason);
      seen[what] = [already, await pending];
    }
    seen.default = [(await buffer.read({ signal: AbortSignal.abort() }).catch((error) => error)).name];
    seen.timeout = [(await new Promise((resolve) => setTimeout(resolve, 20)), await buffer.read({ signal: AbortSignal.timeout(0) }).catch((error) => error)).name];
    // Ended: the signal of a call that has settled does nothing.
    const late = new AbortController();
    await buffer.read({ signal: late.signal, end: 4 });
    late.abort("late");
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  for (const what of ["text", "null", "error", "object"]) assert.deepEqual([what, ...seen[what]], [what, true, true]);
  assert.deepEqual([seen.default, seen.timeout], [["AbortError"], ["TimeoutError"]]);
});

pageTest("an abort that nobody looks at is an event with the code of an abort", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const heard = new Promise((resolve) =>
      gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), resolve(event.detail.error.toJSON()))),
    );
    const buffer = gpu.buffer(Float32Array.of(1), { label: "data" });
    const stop = new AbortController();
    buffer.read({ signal: stop.signal });
    stop.abort("not any more");
    const error = await heard;
    await doGoodJob(gpu);
    await gpu.close();
    return error;
  });
  assert.deepEqual([seen.stableId, seen.reason, seen.operation, seen.retry], [1009, "aborted", "read", "never"]);
});

pageTest("work that never ends: its callers get their timeout, and the next Gpu computes", { ...recovers, init: endlessKernel }, async ({ run, crashGpuProcess }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const flag = gpu.buffer(new Uint32Array(2), { label: "flag" });
    const kernel = endless(gpu);
    await kernel.ready;
    const stop = new AbortController();
    const calls = {
      dispatch: failureOf(kernel.dispatch({ flag }, { workgroups: 1, timeoutMs: 300, label: "hangs" })),
      read: failureOf(flag.read({ timeoutMs: 400 })),
      flush: failureOf(gpu.flush({ timeoutMs: 500 })),
      aborted: flag.read({ signal: stop.signal }).catch((reason) => reason),
    };
    setTimeout(() => stop.abort("enough"), 200);
    const seen = {};
    for (const what in calls) seen[what] = await calls[what];
    const started = performance.now();
    const next = await acquire();
    await doGoodJob(next);
    seen.nextMs = performance.now() - started;
    const closing = performance.now();
    await gpu.close();
    seen.closeMs = performance.now() - closing;
    // Closing did not destroy the device that hangs, so that others still answer.
    await doGoodJob(next);
    return seen;
  });
  await crashGpuProcess();
  assertFailure(seen.dispatch, [1009, "dispatch", "timeout"], { context: { label: "hangs", timeoutMs: 300 } });
  assertFailure(seen.read, [1009, "read", "timeout"], { context: { label: "flag", timeoutMs: 400 } });
  assertFailure(seen.flush, [1009, "dispatch", "timeout"], { context: { timeoutMs: 500 } });
  assert.equal(seen.aborted, "enough");
  assert.ok(seen.nextMs < 10_000, `the next device took ${seen.nextMs} ms`);
  assert.ok(seen.closeMs < 10_000, `closing took ${seen.closeMs} ms`);
});

pageTest("closing with work under way gives it two seconds, then rejects it as closed", { ...recovers, init: endlessKernel }, async ({ run, crashGpuProcess }) => {
  const { failures, ms } = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const flag = gpu.buffer(new Uint32Array(2), { label: "flag" });
    const calls = [failureOf(endless(gpu).dispatch({ flag }, { workgroups: 1, timing: true, label: "hangs" })), failureOf(flag.read())];
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    await gpu.close();
    const ms = performance.now() - started;
    const failures = await Promise.all(calls);
    const next = await acquire();
    await doGoodJob(next);
    return { failures, ms };
  });
  await crashGpuProcess();
  assertFailure(failures[0], [1009, "dispatch", "closed"], { context: { label: "hangs" } });
  assertFailure(failures[1], [1009, "read", "closed"], { context: { label: "flag" } });
  assert.ok(ms > 1500 && ms < 10_000, `${ms} ms`);
});

pageTest("what completes after its timeout goes nowhere, and the device is as good as before", async ({ run, signalGpuProcess }) => {
  await run(async ({ acquire }) => {
    globalThis.gpu = await acquire();
    globalThis.buffer = gpu.buffer(Float32Array.of(1, 2, 3), { label: "data" });
    globalThis.target = new Float32Array(3);
    await gpu.flush();
  });
  await signalGpuProcess("SIGSTOP");
  let failure;
  try {
    failure = await run(() => failureOf(buffer.readInto(target, { timeoutMs: 150 })));
  } finally {
    await signalGpuProcess("SIGCONT");
  }
  const seen = await run(async () => {
    await gpu.flush();
    await new Promise((resolve) => setTimeout(resolve, 200));
    const late = [...target];
    await buffer.readInto(target);
    await doGoodJob(gpu);
    await gpu.close();
    return { late, again: [...target] };
  });
  assertFailure(failure, [1009, "read", "timeout"], { context: { label: "data", timeoutMs: 150 } });
  assert.deepEqual(seen, { late: [0, 0, 0], again: [1, 2, 3] });
});

pageTest("a spin barrier over more workgroups than can run at once ends in a timeout", recovers, async ({ run, crashGpuProcess }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(
      `@group(0) @binding(0) var<storage, read_write> arrived: array<atomic<u32>, 2>;
       @compute @workgroup_size(1) fn main(@builtin(num_workgroups) n: vec3u) {
         atomicAdd(&arrived[0], 1u);
         while (atomicLoad(&arrived[0]) < n.x) { atomicAdd(&arrived[1], 1u); }
       }`,
      { label: "barrier" },
    );
    const fits = await failureOf(kernel.dispatch({ arrived: gpu.buffer(new Uint32Array(2)) }, { workgroups: 1, timing: true }));
    const failure = await failureOf(
      kernel.dispatch({ arrived: gpu.buffer(new Uint32Array(2)) }, { workgroups: 256, timeoutMs: 500, label: "too many" }),
    );
    return { fits, failure };
  });
  // Its workgroups keep every thread of the software adapter, so that nobody computes before they are gone.
  await crashGpuProcess();
  await run(async ({ acquire }) => {
    const next = await acquire();
    await doGoodJob(next);
    await next.close();
  });
  assert.equal(seen.fits, undefined);
  assertFailure(seen.failure, [1009, "dispatch", "timeout"], { context: { label: "too many", timeoutMs: 500 } });
});
