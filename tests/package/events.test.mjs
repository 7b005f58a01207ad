// What nobody looks at is told once, as an event of the Gpu, and never as a stray rejection.

import assert from "node:assert/strict";

import { pageTest } from "./harness.mjs";

pageTest("a failure that somebody looks at is no event, however they look", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const events = [];
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), events.push(event.detail.error.reason)));
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn main() { n[0] = 1u; }`);
    const bad = () => kernel.run({ n: out("f32", 1) });
    const looks = [
      async () => { try { await bad(); } catch {} },
      () => Promise.all([bad(), bad()]).catch(() => {}),
      () => Promise.allSettled([bad()]),
      () => Promise.race([bad()]).catch(() => {}),
      async () => (async () => bad())().catch(() => {}),
      () => bad().then(undefined, () => {}),
      () => bad().finally(() => {}).catch(() => {}),
      () => new Promise((resolve) => resolve(bad())).catch(() => {}),
    ];
    for (const look of looks) await look();
    const task = () => new Promise((resolve) => setTimeout(resolve, 10));
    await task();
    const looked = events.length;
    void bad();
    await task();
    void gpu.batch((batch) => batch.dispatch(kernel, {}));
    await task();
    try { kernel.bind({}); } catch {}
    try { gpu.buffer(7); } catch {}
    await task();
    const { errors } = gpu.stats();
    await doGoodJob(gpu);
    await gpu.close();
    return { looked, events, errors };
  });
  assert.deepEqual(seen, { looked: 0, events: ["type-mismatch", "binding-missing"], errors: { 1006: 13 } });
});

pageTest("one failure of many calls is one event", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const events = [];
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), events.push(event.detail.error)));
    const huge = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize / 4 }, { label: "huge" });
    huge.write([1]).fill(2);
    huge.write(new Uint32Array(1 << 16));
    void huge.read();
    void huge.read();
    void gpu.elementwise("x")(huge.subarray(0, 64));
    await gpu.flush();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const kinds = events.map((error) => [error.reason, error.context.label]);
    await doGoodJob(gpu);
    await gpu.close();
    return kinds;
  });
  assert.deepEqual(seen, [["out-of-memory", "huge"]]);
});

pageTest("an event without a listener goes to the console, once", async ({ run, expectConsole }) => {
  expectConsole(/ComputeError: `main` needs `n`, which the call does not give\./);
  await run(async ({ acquire }) => {
    const gpu = await acquire();
    void gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn main() { n[0] = 1u; }`).dispatch({});
    await new Promise((resolve) => setTimeout(resolve, 20));
    await gpu.close();
  });
});

pageTest("an error of the device outside of any call is an event, and our own calls are no part of it", async ({ run, expectConsole }) => {
  expectConsole(/uncaptured GPU error: GPUValidationError/);
  expectConsole(/^console warning: Buffer usages must not be 0/);
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const told = new Promise((resolve) => gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), resolve(event))));
    const jobs = Array.from({ length: 10 }, () => doGoodJob(gpu));
    gpu.device.createBuffer({ size: 16, usage: 0 });
    await Promise.all(jobs);
    gpu.device.queue.submit([]);
    const { error } = (await told).detail;
    await doGoodJob(gpu);
    await gpu.close();
    return [error.stableId, error.reason, error.context.label, error.cause.constructor.name];
  });
  assert.deepEqual(seen, [1005, "validation", "the device", "GPUValidationError"]);
});

pageTest("errors cross to another realm and back as data, with their cause at home", async ({ run }) => {
  const seen = await run(async ({ acquire, ComputeError, ErrorCode, errorCatalog }) => {
    const gpu = await acquire();
    const error = await gpu.kernel("nonsense").ready.catch((error) => error);
    const revived = ComputeError.revive(structuredClone(error.toJSON()));
    const entry = errorCatalog.find(({ code }) => code === error.code);
    await gpu.close();
    return {
      is: [ComputeError.is(error), ComputeError.is(revived), ComputeError.is({ ...error }), revived instanceof ComputeError],
      same: JSON.stringify(revived) === JSON.stringify(error) && revived.stack !== error.stack,
      code: [ErrorCode[error.code], entry.stableId, entry.reasons.includes(error.reason), entry.retry === error.retry],
      frozen: Object.isFrozen(error.context),
      text: String(error) === `ComputeError: ${error.message}`,
    };
  });
  assert.deepEqual(seen, {
    is: [true, true, false, true], same: true, code: [1004, 1004, true, true], frozen: true, text: true,
  });
});
