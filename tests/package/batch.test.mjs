// batch and bind: several steps as one call, and arguments checked once.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { isFirefox, pageTest } from "./harness.mjs";

const increment = `
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn increment(@builtin(global_invocation_id) id: vec3u) { n[id.x] += 1u; }`;

pageTest("a batch is one call, in order, and reads see their point of it", async ({ run }) => {
  const seen = await run(async ({ acquire }, increment) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const n = gpu.buffer(Uint32Array.of(1, 2));
    const m = gpu.buffer({ dtype: "u32", length: 2 });
    const bound = kernel.bind({ n });
    await kernel.ready;
    await gpu.flush();
    const before = gpu.stats();
    const values = await gpu.batch((batch) => {
      const first = batch.read(n);
      batch.dispatch(kernel, { n });
      batch.dispatch(kernel, { n }, { workgroups: 1 });
      batch.dispatch(bound);
      batch.dispatch(bound, { elements: 1 });
      const second = batch.read(n);
      batch.write(n, Uint32Array.of(50), 1);
      batch.copy(n, m);
      batch.repeat(3, (i) => i < 2 && batch.dispatch(kernel, { n: m }));
      batch.repeat(0, () => batch.write(n, Uint32Array.of(0, 0)));
      return { first, second, plain: 7, third: batch.read(m) };
    });
    const after = gpu.stats();
    const seen = {
      first: [...values.first], second: [...values.second], third: [...values.third], plain: values.plain,
      n: [...(await n.read())],
      flushes: after.flushes - before.flushes, dispatches: after.dispatches - before.dispatches,
    };
    await gpu.close();
    return seen;
  }, increment);
  assert.deepEqual(seen, {
    first: [1, 2], second: [5, 4], third: [7, 52], plain: 7, n: [5, 50], flushes: 1, dispatches: 6,
  });
});

pageTest("a batch maps one level of promises: of an object, an array, or one promise", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const n = gpu.buffer(Uint32Array.of(1, 2));
    const shapes = {
      array: await gpu.batch((batch) => [batch.read(n), 3]),
      promise: await gpu.batch((batch) => batch.read(n)),
      async: await gpu.batch(async (batch) => [...(await batch.read(n))]),
      nothing: await gpu.batch(() => {}),
      number: await gpu.batch(() => 5),
      deeper: await gpu.batch((batch) => ({ inner: { read: batch.read(n) } })),
    };
    const isDeeper = shapes.deeper.inner.read instanceof Promise && [...(await shapes.deeper.inner.read)].join();
    const typed = Uint8Array.of(9);
    const same = (await gpu.batch(() => typed)) === typed;
    await gpu.close();
    return {
      array: [[...shapes.array[0]], shapes.array[1]], promise: [...shapes.promise], async: shapes.async,
      nothing: shapes.nothing === undefined, number: shapes.number, isDeeper, same,
    };
  });
  assert.deepEqual(seen, {
    array: [[1, 2], 3], promise: [1, 2], async: [1, 2], nothing: true, number: 5, isDeeper: "1,2", same: true,
  });
});

pageTest("a batch that is refused changes nothing, names its entry, and rejects its reads", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, increment) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const n = gpu.buffer(Uint32Array.of(5), { label: "n" });
    const f = gpu.buffer({ dtype: "f32", length: 1 });
    const gone = gpu.buffer({ dtype: "u32", length: 1 }, { label: "gone" });
    const other = await acquire();
    const foreign = other.buffer({ dtype: "u32", length: 1 }, { label: "foreign" });
    const destroyed = gpu.buffer({ dtype: "u32", length: 1 }, { label: "destroyed" });
    destroyed.destroy();
    await gpu.flush();
    gone.gpuBuffer.destroy();
    const bad = gpu.kernel("@group(0) @binding(0) var<storage, read_write> n: array<u32>;\n@compute @workgroup_size(1) fn bad() { n[0] = x; }");
    const huge = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize / 4 }, { label: "huge" });
    const past = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize }, { label: "past" });
    await Promise.all([bad, huge, past].map(({ ready }) => failureOf(ready)));
    const reads = [];
    const refused = (record) => failureOf(gpu.batch((batch) => {
      batch.write(n, Uint32Array.of(99));
      batch.dispatch(kernel, { n });
      reads.push(batch.read(n).then(() => "read", (error) => error.context.index));
      record(batch);
      batch.dispatch(kernel, { n });
    }));
    const failed = {
      "a missing binding": await refused((batch) => batch.dispatch(kernel, {})),
      "a grid past the limit": await refused((batch) => batch.dispatch(kernel, { n }, { workgroups: 70_000 })),
      "another type": await refused((batch) => batch.copy(n, f)),
      "too much data": await refused((batch) => batch.write(n, new Uint32Array(2))),
      "no data": await refused((batch) => batch.write(n, [1])),
      "a destroyed buffer": await refused((batch) => batch.read(destroyed)),
      "a buffer of another Gpu": await refused((batch) => batch.copy(n, foreign)),
      "no kernel": await refused((batch) => batch.dispatch(n, {})),
      "an output": await refused((batch) => batch.dispatch(kernel, { n: out("u32", 1) })),
      "a kernel that does not compile": await refused((batch) => batch.dispatch(bad, { n })),
      "a buffer destroyed behind our back": await refused((batch) => batch.dispatch(kernel, { n: gone })),
      "a write to one": await refused((batch) => batch.write(gone, Uint32Array.of(1))),
      "a read of one": await refused((batch) => void batch.read(gone)),
      "a buffer without memory": await refused((batch) => batch.dispatch(kernel, { n: huge }, { workgroups: 1 })),
      "a buffer past the limit": await refused((batch) => batch.copy(n, past)),
    };
    const value = (await n.read())[0];
    await doGoodJob(gpu);
    await Promise.all([gpu.close(), other.close()]);
    return { failed, value, reads: await Promise.all(reads) };
  }, increment);
  assert.equal(seen.value, 5);
  assert.deepEqual(seen.reads, new Array(15).fill(3));
  const of = (reason, context = {}) => [[1006, "dispatch", reason], { context: { index: 3, ...context } }];
  const gone = [[1005, "dispatch", "validation"], { context: { index: 3 } }];
  assertFailures(seen.failed, {
    "a missing binding": of("binding-missing", { name: "n" }),
    "a grid past the limit": of("limit-exceeded", { requested: 70_000 }),
    "another type": of("argument-invalid", { got: "f32" }),
    "too much data": [[1006, "upload", "out-of-range"], { context: { index: 3, label: "n", got: 2 } }],
    "no data": of("argument-invalid", { argument: "data" }),
    "a destroyed buffer": of("destroyed", { label: "destroyed" }),
    "a buffer of another Gpu": of("foreign", { label: "foreign" }),
    "no kernel": of("argument-invalid", { argument: "kernel", got: "a GpuBuffer" }),
    "an output": of("nowhere-to-put"),
    "a kernel that does not compile": [[1004, "compile", "wgsl"], { context: { index: 3, line: 2 } }],
    "a buffer destroyed behind our back": gone,
    "a write to one": gone,
    "a read of one": gone,
    // Mesa's software adapter has the memory, but binds less.
    "a buffer without memory": isFirefox
      ? [[1006, "dispatch", "limit-exceeded"], { context: { index: 3, limit: "maxStorageBufferBindingSize" } }]
      : [[1001, "upload", "out-of-memory"], { context: { index: 3, label: "huge" } }],
    "a buffer past the limit": [[1006, "upload", "limit-exceeded"], { context: { index: 3, label: "past" } }],
  });
});

pageTest("what the function given to batch() throws is handed on; the batch is forgotten", async ({ run }) => {
  const seen = await run(async ({ acquire }, increment) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const n = gpu.buffer(Uint32Array.of(5));
    const mine = new RangeError("mine");
    let kept;
    const thrown = await gpu.batch((batch) => {
      kept = batch;
      batch.dispatch(kernel, { n });
      throw mine;
    }).catch((error) => error);
    const swallowed = await failureOf(gpu.batch((batch) => {
      try { batch.dispatch(kernel, {}); } catch {}
      try { batch.write(n, Uint32Array.of(1)); } catch {}
    }));
    const destroyedInside = gpu.buffer(Uint32Array.of(7));
    const [copied] = await gpu.batch((batch) => {
      batch.copy(destroyedInside, n);
      destroyedInside.destroy();
      return [batch.read(n)];
    });
    const failed = {
      late: await failureOf(async () => kept.dispatch(kernel, { n })),
      "no function": await failureOf(gpu.batch()),
      nested: await failureOf(gpu.batch(() => gpu.batch(() => {}))),
      "a buffer made inside": await failureOf(gpu.batch(() => gpu.buffer(Uint32Array.of(1)))),
      "an unknown option": await failureOf(gpu.batch(() => {}, { elements: 1 })),
    };
    const seen = { isMine: thrown === mine, swallowed: swallowed.reason, copied: copied[0], n: (await n.read())[0], failed };
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  }, increment);
  assert.deepEqual([seen.isMine, seen.swallowed, seen.copied, seen.n], [true, "binding-missing", 7, 7]);
  const invalid = [1006, "dispatch", "argument-invalid"];
  assertFailures(seen.failed, {
    late: [invalid, { message: "a batch must be used inside of its function, but is used after it." }],
    "no function": [invalid, { context: { argument: "record" } }],
    nested: [invalid, { context: { got: "used inside it" } }],
    "a buffer made inside": [[1006, "upload", "argument-invalid"], {}],
    "an unknown option": [invalid, { context: { got: '"elements"' } }],
  });
});

pageTest("a bound kernel keeps its arguments, and lets go of a destroyed buffer's memory", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> x: array<u32>;
      @group(0) @binding(1) var<uniform> more: u32;
      @group(0) @binding(2) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(4) fn add(@builtin(global_invocation_id) id: vec3u) { y[id.x] += x[id.x] + more; }`);
    const y = gpu.buffer({ dtype: "u32", length: 1 << 16 }, { label: "y" });
    const x = new Uint32Array(1 << 16).fill(2);
    const bound = kernel.bind({ x, more: 1, y });
    x.fill(77);
    await bound.dispatch();
    const infos = await Promise.all([bound.dispatch({ workgroups: 1 }), bound.dispatch({ elements: 5 })]);
    const read = await y.read({ start: 3, end: 9 });
    await gpu.flush();
    const live = gpu.memory().liveBytes;
    const last = bound.dispatch({ workgroups: 1 });
    y.destroy();
    await last;
    const freed = live - gpu.memory().liveBytes;
    const failure = await failureOf(bound.dispatch());
    const early = await failureOf(async () => kernel.bind({ x, y }));
    await doGoodJob(gpu);
    await gpu.close();
    return { read: [...read], infos, freed, failure, early };
  });
  assert.deepEqual(seen.read, [9, 6, 6, 6, 6, 3]);
  assert.deepEqual(seen.infos, [{ generation: 1, attempts: 1 }, { generation: 1, attempts: 1 }]);
  assert.equal(seen.freed, 4 << 16);
  assertFailure(seen.failure, [1006, "dispatch", "destroyed"], { context: { label: "y" } });
  assertFailure(seen.early, [1006, "dispatch", "binding-missing"], { context: { name: "more" } });
});
