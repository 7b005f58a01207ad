// Strict mode: what costs too much to check always.

import assert from "node:assert/strict";

import { pageTest } from "./harness.mjs";

const COUNT = `
@group(0) @binding(0) var<storage, read_write> n: array<atomic<u32>>;
@compute @workgroup_size(1) fn count() { atomicAdd(&n[0], 1u); }`;

pageTest("indirect counts past the limit are refused in strict mode, and good ones run", async ({ run }) => {
  const seen = await run(async ({ acquire }, wgsl) => {
    const gpu = await acquire({ strict: true });
    const count = gpu.kernel(wgsl);
    const n = gpu.buffer(Uint32Array.of(0));
    const counts = gpu.buffer(Uint32Array.of(0, 70000, 1, 1, 2, 3, 4));
    const refused = await failureOf(count.dispatch({ n }, { indirect: { buffer: counts, offset: 4 } }));
    await count.dispatch({ n }, { indirect: { buffer: counts, offset: 16 } });
    return { refused, ran: (await n.read())[0] };
  }, COUNT);
  const { isComputeError, code, stableId, operation, reason, context } = seen.refused;
  assert.deepEqual([isComputeError, code, stableId, operation, reason], [true, "InvalidProgram", 1006, "dispatch", "limit-exceeded"]);
  assert.deepEqual([context.requested, context.allowed, context.limit], [70000, 65535, "maxComputeWorkgroupsPerDimension"]);
  assert.equal(seen.ran, 24);
});

pageTest("counts that an earlier call made are read after it ran", async ({ run }) => {
  const seen = await run(async ({ acquire }, wgsl) => {
    const gpu = await acquire({ strict: true });
    const count = gpu.kernel(wgsl);
    const grow = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> counts: array<u32>;
      @compute @workgroup_size(1) fn grow() { counts[0] *= 1000u; }`);
    const n = gpu.buffer(Uint32Array.of(0));
    const counts = gpu.buffer(Uint32Array.of(7, 1, 1));
    const good = count.dispatch({ n }, { indirect: { buffer: counts } });
    grow.dispatch({ counts }, { workgroups: 1 });
    const large = count.dispatch({ n }, { indirect: { buffer: counts } });
    grow.dispatch({ counts }, { workgroups: 1 });
    const excess = failureOf(count.dispatch({ n }, { indirect: { buffer: counts } }));
    await Promise.all([good, large]);
    return { excess: (await excess).context.requested, ran: (await n.read())[0] };
  }, COUNT);
  assert.deepEqual(seen, { excess: 7_000_000, ran: 7007 });
});

pageTest("every indirect entry of a batch is checked, but for counts that the batch makes itself", async ({ run }) => {
  const seen = await run(async ({ acquire }, wgsl) => {
    const gpu = await acquire({ strict: true });
    const count = gpu.kernel(wgsl);
    const n = gpu.buffer(Uint32Array.of(0));
    const counts = gpu.buffer(Uint32Array.of(2, 1, 1, 70000, 1, 1));
    const bound = count.bind({ n });
    const batch = (record) => gpu.batch((batch) => {
      record?.(batch);
      batch.dispatch(count, { n }, { indirect: { buffer: counts } });
      batch.dispatch(bound, { indirect: { buffer: counts, offset: 12 } });
    });
    const dependents = [batch(), gpu.elementwise("x")(n)];
    const [refused, dependent] = await Promise.allSettled(dependents);
    const ran = [(await n.read())[0]];
    await batch((batch) => batch.write(counts, Uint32Array.of(3), 3));
    ran.push((await n.read())[0]);
    return { refused: refused.reason.toJSON(), isSame: dependent.reason === refused.reason, ran };
  }, COUNT);
  assert.deepEqual([seen.refused.reason, seen.refused.context.index], ["limit-exceeded", 1]);
  assert.deepEqual([seen.isSame, seen.ran], [true, [0, 5]], "refused, nothing of the batch ran");
});
