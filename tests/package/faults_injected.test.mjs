// What cannot be provoked, at every operation: reports of every class, scopes that reject, creations that throw.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { pageTest } from "./harness.mjs";
import { injecting, operations } from "./injection.mjs";

/** Does each operation under a fault, on a Gpu of its own, and again without it; `fault` runs in the page. */
function eachOperation(name, fault, expected) {
  pageTest(name, { init: injecting }, async ({ run }) => {
    const seen = await run(
      async ({ acquire, out }, fault) => {
        const seen = {};
        const any = await acquire();
        const names = Object.keys(await prepare(any, out));
        await any.close();
        for (const what of names) {
          const gpu = await acquire();
          const operation = (await prepare(gpu, out))[what];
          const putBack = eval(fault)(gpu);
          const failure = await failureOf(operation);
          putBack();
          seen[what] = { failure, again: await failureOf(operation) };
          await doGoodJob(gpu);
          await gpu.close();
        }
        return seen;
      },
      String(fault),
    );
    assert.deepEqual(Object.keys(seen), Object.keys(operations));
    for (const [what, [operation, label]] of Object.entries(operations)) {
      const { failure, again } = seen[what];
      try {
        assertFailure(failure, expected(operation), { context: { label } });
        assert.equal(again, undefined, "the same call works afterwards");
      } catch (error) {
        throw new Error(`${what}: ${error.message}`, { cause: error });
      }
    }
  });
}

eachOperation(
  "an internal error from a scope fails the operation it came with",
  () => answerOnce("internal", async () => new GPUInternalError("the driver failed")),
  (operation) => [operation === "compile" ? 1004 : 1005, operation, "internal"],
);

eachOperation(
  "out of memory from a scope is DeviceOutOfMemory at every operation",
  () => answerOnce("out-of-memory", async () => new GPUOutOfMemoryError("no memory")),
  (operation) => [1001, operation, "out-of-memory"],
);

eachOperation(
  "an error of a class nobody knows is unknown, wherever it comes",
  () => answerOnce("internal", async () => report("GPUNovelError", "something new")),
  (operation) => [1999, operation, "unclassified"],
);

eachOperation(
  "a scope that rejects can only be a lost device's",
  () => answerOnce("validation", () => Promise.reject(new DOMException("Instance dropped", "OperationError"))),
  (operation) => [1008, operation, "device-lost"],
);

pageTest("a creation that throws is out of memory, misuse or a loss, and never a panic", { init: injecting }, async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const throws = {
      memory: () => new RangeError("createBuffer failed, size (64) is too large"),
      type: () => new TypeError("not of type 'unsigned long long'"),
      unknown: () => report("GPUNovelError", "something new"),
      lost: (gpu) => (gpu.device.destroy(), new RangeError("createBuffer failed, size (64) is too large")),
    };
    const seen = {};
    for (const [how, thrown] of Object.entries(throws)) {
      // Sizes of their own, so that nothing comes out of the pool.
      const creations = {
        buffer: (gpu) => gpu.buffer({ dtype: "f32", length: 4 }, { label: "new" }).ready,
        data: (gpu) => gpu.buffer(new Float32Array(5000), { label: "new" }).read(),
        run: (gpu, kernel) => kernel.run({ y: out("f32", 70_000) }, { label: "call", workgroups: 1 }),
        read: (gpu, kernel, large) => large.read(),
        batch: (gpu, kernel, large) => gpu.batch((b) => b.read(large), { label: "call" }),
      };
      for (const [what, create] of Object.entries(creations)) {
        const gpu = await acquire();
        const large = gpu.buffer({ dtype: "f32", length: 100_000 }, { label: "large" });
        const kernel = gpu.kernel(
          "@group(0) @binding(0) var<storage, read_write> y: array<f32>;\n@compute @workgroup_size(1) fn main() { y[0] = 1.0; }",
        );
        await kernel.ready;
        await gpu.flush();
        const putBack = swap(GPUDevice.prototype, "createBuffer", () => () => {
          throw thrown(gpu);
        });
        const failure = await failureOf(create(gpu, kernel, large));
        putBack();
        if (how !== "lost") {
          const again = await failureOf(create(gpu, kernel, large));
          if (again) throw new Error(`${how} ${what}: ${again.text}`);
          await doGoodJob(gpu);
        }
        await gpu.close();
        (seen[how] ??= {})[what] = failure;
      }
    }
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  const reasons = {
    memory: [1001, "out-of-memory"],
    type: [1006, "validation"],
    unknown: [1999, "unclassified"],
    lost: [1008, "device-lost"],
  };
  const labels = { buffer: "new", data: "new", run: "call", read: "large", batch: "call" };
  for (const [how, [id, reason]] of Object.entries(reasons)) {
    for (const [what, label] of Object.entries(labels)) {
      const failure = seen[how][what];
      assert.ok(failure, `${how} ${what}: nothing failed`);
      assert.deepEqual([how, what, failure.stableId, failure.reason, failure.context.label], [how, what, id, reason, label]);
    }
  }
});

pageTest("an error of nobody's scope is an event of every class", { init: injecting }, async ({ run, expectConsole }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const seen = [];
    gpu.addEventListener("uncaptured", (event) => {
      event.preventDefault();
      seen.push(event.detail.error.toJSON());
    });
    const errors = [new GPUInternalError("a"), new GPUOutOfMemoryError("b"), new GPUValidationError("c")];
    for (const error of errors) gpu.device.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error }));
    await doGoodJob(gpu);
    const counted = gpu.stats().errors;
    await gpu.close();
    return { seen, counted, handler: gpu.device?.onuncapturederror ?? null };
  });
  expectConsole(/uncaptured GPU error: GPUInternalError/);
  expectConsole(/uncaptured GPU error: GPUOutOfMemoryError/);
  expectConsole(/uncaptured GPU error: GPUValidationError/);
  assert.deepEqual(seen.seen.map(({ stableId, reason, operation }) => [stableId, reason, operation]), [
    [1005, "internal", "dispatch"],
    [1001, "out-of-memory", "dispatch"],
    [1005, "validation", "dispatch"],
  ]);
  assert.deepEqual(seen.counted, { 1001: 1, 1005: 2 });
  assert.equal(seen.handler, null);
});

pageTest("an uncaptured error and a vanished adapter change nothing of any operation", { init: injecting }, async ({ run, expectConsole }) => {
  expectConsole(/uncaptured GPU error: GPUInternalError/);
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const heard = [];
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), heard.push(event.detail.error.stableId)));
    const putBack = swap(GPU.prototype, "requestAdapter", () => async () => null);
    const failures = {};
    for (const [what, operation] of Object.entries(await prepare(gpu, out))) {
      const failed = failureOf(operation);
      gpu.device.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUInternalError(what) }));
      failures[what] = await failed;
    }
    putBack();
    await doGoodJob(gpu);
    await gpu.close();
    return { failures: Object.values(failures).filter(Boolean), heard };
  });
  assert.deepEqual(seen.failures, []);
  assert.deepEqual(seen.heard, Object.keys(operations).map(() => 1005));
});
