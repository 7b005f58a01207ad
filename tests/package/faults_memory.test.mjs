// Memory of the page and of the device, and giving it back.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { pageTest } from "./harness.mjs";
import { injecting } from "./injection.mjs";

pageTest("a result the page has no memory for is that read's failure", { init: injecting }, async ({ run }) => {
  const { failure, again } = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(Float32Array.of(1, 2), { label: "data" });
    const putBack = swap(ArrayBuffer.prototype, "slice", () => () => {
      throw new RangeError("Array buffer allocation failed");
    });
    const failure = await failureOf(buffer.read());
    putBack();
    const again = [...(await buffer.read())];
    await doGoodJob(gpu);
    await gpu.close();
    return { failure, again };
  });
  assertFailure(failure, [1001, "read", "host-out-of-memory"], { context: { label: "data", bytes: 8 } });
  assert.deepEqual(again, [1, 2]);
});

pageTest("the memory budget refuses before the driver is asked, with its numbers", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire({ memoryBudgetBytes: 4 << 20 });
    const first = gpu.buffer({ dtype: "f32", length: 768 << 10 }, { label: "first" });
    await first.ready;
    const used = gpu.memory().liveBytes;
    const failure = await failureOf(gpu.buffer({ dtype: "f32", length: 768 << 10 }, { label: "second" }).ready);
    first.destroy();
    await gpu.flush();
    const third = await failureOf(gpu.buffer({ dtype: "f32", length: 768 << 10 }).ready);
    await doGoodJob(gpu);
    await gpu.close();
    return { failure, used, third };
  });
  assertFailure(seen.failure, [1001, "upload", "budget-exceeded"], {
    context: { label: "second", requested: 3 << 20, used: seen.used, allowed: 4 << 20 },
  });
  assert.equal(seen.third, undefined);
});

pageTest("destroying gives memory back at once, a thousand times over", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const before = gpu.memory();
    for (let count = 0; count < 1000; count++) {
      const buffer = gpu.buffer({ dtype: "f32", length: 1 << 18 });
      if (count % 100 === 0) await buffer.ready;
      buffer.destroy();
    }
    await gpu.flush();
    const after = gpu.memory();
    await doGoodJob(gpu);
    await gpu.close();
    return { grown: after.liveBytes - before.liveBytes, buffers: after.buffers - before.buffers };
  });
  assert.deepEqual(seen, { grown: 0, buffers: 0 });
});
