// The wasm panics or traps: everything pending is told at once, the instance refuses the rest, and the next one works.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { pageTest } from "./harness.mjs";
import { injecting, operations } from "./injection.mjs";

const panics = /panicked at|unreachable|RuntimeError/;

pageTest("a panic rejects everything that is pending, of every kind, and nothing hangs", { init: injecting }, async ({ run, expectConsole }) => {
  expectConsole(panics);
  const seen = await run(async ({ acquire, out }) => {
    const { panic } = await import("steadfast-gpu/testing");
    const gpu = await acquire();
    const second = await acquire();
    const prepared = await prepare(gpu, out);
    const pending = {};
    for (const [what, operation] of Object.entries(prepared)) pending[what] = failureOf(operation);
    pending.flush = failureOf(gpu.flush());
    pending.acquire = failureOf(acquire());
    pending.other = failureOf(second.flush());
    panic(gpu);
    const failures = {};
    for (const what in pending) failures[what] = await pending[what];
    const later = {};
    for (const [what, operation] of Object.entries(prepared)) later[what] = await failureOf(operation);
    const states = [gpu.state, second.state];
    const next = await acquire();
    await doGoodJob(next);
    await gpu.close();
    await second.close();
    await next.close();
    return { failures, later, states };
  });
  assert.deepEqual(Object.keys(seen.failures), [...Object.keys(operations), "flush", "acquire", "other"]);
  for (const [what, failure] of Object.entries(seen.failures)) {
    assert.ok(failure, `${what}: nothing failed`);
    assert.deepEqual([what, failure.stableId, failure.reason, failure.retry], [what, 1003, "panicked", "new-device"]);
  }
  for (const [what, failure] of Object.entries(seen.later)) {
    assert.deepEqual([what, failure?.stableId, failure?.reason], [what, 1003, "panicked"]);
  }
  assert.deepEqual(seen.states, ["failed", "failed"]);
});

pageTest("handles of an instance that panicked never reach into the next", async ({ run, expectConsole }) => {
  expectConsole(panics);
  const seen = await run(async ({ acquire }) => {
    const { panic } = await import("steadfast-gpu/testing");
    const wgsl = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { x[0] += 1.0; }";
    const old = await acquire();
    const stale = old.buffer(Float32Array.of(1), { label: "stale" });
    const kernel = old.kernel(wgsl);
    await kernel.dispatch({ x: stale });
    panic(old);
    const next = await acquire();
    const fresh = next.buffer(Float32Array.of(5), { label: "fresh" });
    const failures = [
      await failureOf(next.kernel(wgsl).dispatch({ x: stale })),
      await failureOf(kernel.dispatch({ x: fresh })),
      await failureOf(stale.read()),
      await failureOf(() => old.buffer([1])),
    ];
    stale.destroy();
    kernel.destroy();
    await old.close();
    const kept = [...(await fresh.read())];
    await doGoodJob(next);
    await next.close();
    return { failures, kept };
  });
  for (const failure of seen.failures) assertFailure(failure, [1003, failure.operation, "panicked"]);
  assert.deepEqual(seen.kept, [5]);
});

pageTest("five panics in a row are survived", async ({ run, expectConsole }) => {
  expectConsole(panics);
  const failures = await run(async ({ acquire }) => {
    const { panic } = await import("steadfast-gpu/testing");
    const failures = [];
    for (let count = 0; count < 5; count++) {
      const gpu = await acquire();
      await doGoodJob(gpu);
      const pending = failureOf(gpu.flush());
      panic(gpu);
      failures.push((await pending)?.stableId);
      await gpu.close();
    }
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return failures;
  });
  assert.deepEqual(failures, [1003, 1003, 1003, 1003, 1003]);
});

pageTest("a trap without a panic is seen as well: a stack overflow, and an exception through wasm's frames", { init: injecting }, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const traps = {
      // No binding of wgpu catches there.
      exception: () =>
        swap(GPUDevice.prototype, "createCommandEncoder", () => () => {
          throw new TypeError("no encoder");
        }),
      overflow: () =>
        swap(GPUDevice.prototype, "createCommandEncoder", () => function overflow() {
          return overflow();
        }),
    };
    const seen = {};
    for (const [what, trap] of Object.entries(traps)) {
      const gpu = await acquire();
      const buffer = gpu.buffer(Float32Array.of(1), { label: "data" });
      await gpu.flush();
      const putBack = trap();
      const pending = [failureOf(buffer.read()), failureOf(gpu.flush())];
      const failures = [await pending[0], await pending[1]];
      putBack();
      const later = await failureOf(buffer.read());
      const next = await acquire();
      await doGoodJob(next);
      await next.close();
      seen[what] = [...failures, later];
    }
    return seen;
  });
  for (const [what, failures] of Object.entries(seen)) {
    for (const failure of failures) assert.deepEqual([what, failure?.stableId, failure?.reason], [what, 1003, "panicked"]);
  }
});
