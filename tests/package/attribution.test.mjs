// An error lands on the call that caused it, and on those that depend on it: never on others, and nothing runs twice.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

/** Adds one, so that what ran twice, or not at all, shows. */
const count = `
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn count() { n[0] += 1u; }`;
const add = `
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<uniform> more: u32;
@group(0) @binding(2) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn add() { n[0] += x[0] + more; }`;

/** Why memory does not run out in Firefox. */
const hasMemory = "Mesa's software adapter has the memory";

/**
 * What can be wrong with one of a hundred calls: `bad` makes it (a promise, or nothing where an event tells of it), with
 * `prepare`d things that are there before the flush.
 */
const kinds = {
  "a buffer destroyed behind our back": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }, { label: "gone" }) }),
    bad: ({ gone, kernels }) => (gone.gpuBuffer.destroy(), kernels.count.dispatch({ n: gone }, { label: "the bad call" })),
    expect: [[1005, "dispatch", "validation"], { context: { label: "the bad call" } }],
    attempts: 2,
  },
  "such a buffer beside an array and a number": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }) }),
    bad: ({ gone, kernels }) => (gone.gpuBuffer.destroy(), kernels.add.dispatch({ x: Uint32Array.of(1), more: 3, n: gone })),
    expect: [[1005, "dispatch", "validation"], { context: { label: "add" } }],
    attempts: 2,
  },
  "a read of such a buffer": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }, { label: "gone" }) }),
    bad: ({ gone }) => (gone.gpuBuffer.destroy(), gone.read()),
    expect: [[1005, "read", "validation"], { context: { label: "gone" } }],
    attempts: 2,
  },
  "a batch with such a buffer in its third entry": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }), own: gpu.buffer({ dtype: "u32", length: 1 }) }),
    bad: ({ gone, own, kernels, gpu }) => {
      gone.gpuBuffer.destroy();
      return gpu.batch((batch) => {
        batch.dispatch(kernels.count, { n: own });
        batch.write(own, Uint32Array.of(5));
        batch.dispatch(kernels.count, { n: gone });
        batch.dispatch(kernels.count, { n: own });
      });
    },
    untouched: "own",
    expect: [[1005, "dispatch", "validation"], { context: { label: "batch", index: 2 } }],
    attempts: 2,
  },
  "a buffer there is no memory for": {
    chromiumOnly: hasMemory,
    prepare: () => ({}),
    bad: ({ gpu, kernels }) => {
      const huge = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize / 4 }, { label: "huge" });
      return kernels.count.dispatch({ n: huge }, { workgroups: 1 });
    },
    expect: [[1001, "upload", "out-of-memory"], { context: { label: "huge", bytes: 2 ** 30 } }],
    attempts: 2,
  },
  "a result there is no memory for": {
    chromiumOnly: hasMemory,
    prepare: () => ({}),
    bad: ({ gpu, kernels, out }) => kernels.count.run({ n: out("u32", gpu.limits.maxBufferSize / 4) }, { workgroups: 1 }),
    expect: [[1001, "upload", "out-of-memory"], { context: { label: "count" } }],
    attempts: 2,
  },
  "too many workgroups": {
    prepare: (gpu) => ({ n: gpu.buffer({ dtype: "u32", length: 1 }) }),
    bad: ({ n, kernels }) => kernels.count.dispatch({ n }, { workgroups: [1, 65_536] }),
    expect: [[1006, "dispatch", "limit-exceeded"], { context: { label: "count", requested: 65_536 } }],
  },
  "a kernel that does not compile": {
    prepare: (gpu) => ({ n: gpu.buffer({ dtype: "u32", length: 1 }) }),
    bad: ({ n, gpu }) => gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn bad() { n[0] = nonsense; }`).dispatch({ n }),
    expect: [[1004, "compile", "wgsl"], { context: { label: "bad", line: 3 } }],
  },
  "an expression that does not compile": {
    prepare: () => ({}),
    bad: ({ gpu }) => gpu.elementwise("x + nonsense")([1, 2]),
    expect: [[1004, "compile", "wgsl"], { context: { line: 1, column: 5 } }],
  },
  "a write to such a buffer": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }, { label: "gone" }) }),
    bad: ({ gone }) => (gone.gpuBuffer.destroy(), void gone.write([1])),
    expect: [[1006, "upload", "validation"], { context: { label: "gone" } }],
  },
  "a large write to such a buffer": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 << 15 }, { label: "gone" }) }),
    bad: ({ gone }) => (gone.gpuBuffer.destroy(), void gone.write(new Uint32Array(1 << 15))),
    expect: [[1006, "upload", "validation"], { context: { label: "gone" } }],
  },
  "a copy to such a buffer": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }, { label: "gone" }), from: gpu.buffer(Uint32Array.of(1)) }),
    bad: ({ gone, from }) => (gone.gpuBuffer.destroy(), void from.copyTo(gone)),
    expect: [[1005, "dispatch", "validation"], { context: { label: "gone" } }],
    attempts: 2,
  },
  "a fill of such a buffer": {
    prepare: (gpu) => ({ gone: gpu.buffer({ dtype: "u32", length: 1 }, { label: "gone" }) }),
    bad: ({ gone }) => (gone.gpuBuffer.destroy(), void gone.fill(3)),
    expect: [[1005, "dispatch", "validation"], { context: { label: "gone" } }],
    attempts: 2,
  },
};

/** In the page: 99 good calls of several sorts and a bad one among them, in one flush. */
async function hundred({ acquire, out, inout }, { prepare, bad, untouched, count, add, strict }) {
  const gpu = await acquire({ strict });
  const events = [];
  gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), events.push(event.detail.error)));
  const kernels = { count: gpu.kernel(count), add: gpu.kernel(add) };
  await Promise.all([kernels.count.ready, kernels.add.ready]);
  const counters = Array.from({ length: 99 }, () => gpu.buffer({ dtype: "u32", length: 1 }));
  const things = { ...(0, eval)(prepare)(gpu), kernels, gpu, out };
  await gpu.flush();

  const sorts = [
    (n) => kernels.count.dispatch({ n }),
    (n) => kernels.add.dispatch({ x: Uint32Array.of(0), more: 1, n }),
    (n) => kernels.add.run({ x: [1], more: 0, n }),
    (n) => gpu.batch((batch) => batch.dispatch(kernels.count, { n })),
    (n) => kernels.count.bind({ n }).dispatch(),
    (n, at) => kernels.add.run({ x: [at], more: 1, n: inout(Uint32Array.of(5)) }).then(({ n: given, info }) => {
      if (given[0] !== 6 + at) throw new Error(`a good run gave ${given[0]}`);
      return { ...info, ran: kernels.count.dispatch({ n }) };
    }),
  ];
  const calls = counters.map((n, at) => {
    if (at === 50) things.promise = (0, eval)(bad)(things);
    return sorts[at % sorts.length](n, at);
  });
  const failure = things.promise && failureOf(things.promise);
  const results = await Promise.allSettled(calls);
  await Promise.all(results.map(({ value }) => value?.ran));
  const counted = await Promise.all(counters.map(async (n) => (await n.read())[0]));
  const seen = {
    failure: (await failure) ?? (events[0] && (await failureOf(Promise.reject(events[0])))),
    events: events.length,
    isPromise: things.promise !== undefined,
    rejected: results.flatMap(({ reason }) => (reason ? [String(reason)] : [])),
    wrong: counted.filter((times) => times !== 1),
    attempts: [...new Set(results.map(({ value }) => value?.attempts).filter(Boolean))],
    untouched: untouched ? (await things[untouched].read())[0] : 0,
  };
  await doGoodJob(gpu);
  await gpu.close();
  return seen;
}

for (const [name, { prepare, bad, untouched, expect, attempts = 1, chromiumOnly }] of Object.entries(kinds)) {
  pageTest(`of 100 calls in a flush, one bad alone fails: ${name}`, { chromiumOnly }, async ({ run }) => {
    const arg = { prepare: `(${prepare})`, bad: `(${bad})`, untouched, count, add };
    for (const strict of [false, true]) {
      const seen = await run(hundred, { ...arg, strict });
      assertFailure(seen.failure, ...expect);
      assert.deepEqual(seen.rejected, []);
      assert.deepEqual(seen.wrong, [], "each good call ran exactly once");
      assert.equal(seen.events, seen.isPromise ? 0 : 1);
      assert.deepEqual(seen.attempts, [strict ? 1 : attempts]);
      assert.equal(seen.untouched, 0, "nothing of a refused batch ran");
    }
  });
}

pageTest("a call recorded before a failure, and depending on it, rejects with the same error", async ({ run }) => {
  const seen = await run(async ({ acquire }, count) => {
    const gpu = await acquire();
    const events = [];
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), events.push(event.detail.error)));
    const kernel = gpu.kernel(count);
    const copy = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> a: array<u32>;
      @group(0) @binding(1) var<storage, read_write> b: array<u32>;
      @compute @workgroup_size(1) fn copy() { b[0] = a[0]; }`);
    const two = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @group(0) @binding(1) var<storage, read_write> gone: array<u32>;
      @compute @workgroup_size(1) fn two() { n[0] += 1u; gone[0] = 1u; }`);
    await Promise.all([kernel.ready, copy.ready, two.ready]);
    const buffer = (label) => gpu.buffer(Uint32Array.of(10), { label });
    const [a, b, c, d, e, gone] = ["a", "b", "c", "d", "e", "gone"].map(buffer);
    const wide = gpu.buffer(Uint32Array.of(1, 2));
    await gpu.flush();
    gone.gpuBuffer.destroy();
    const flushes = gpu.stats().flushes;
    const calls = {
      before: kernel.dispatch({ n: a }),
      bad: two.dispatch({ n: a, gone }),
      direct: kernel.dispatch({ n: a }),
      indirect: copy.dispatch({ a, b }),
      read: b.read(),
      independent: kernel.dispatch({ n: c }),
      batched: gpu.batch((batch) => (batch.dispatch(kernel, { n: d }), batch.copy(a, d))),
    };
    a.copyTo(e);
    calls.copied = e.read();
    // Overwritten, nothing of the failure is left in it, and writes that were recorded are never lost.
    a.write([40]);
    calls.rewritten = kernel.dispatch({ n: a });
    two.dispatch({ n: wide, gone }).catch(() => {});
    wide.write([7], 1);
    calls.partly = wide.read();
    const settled = await Promise.allSettled(Object.values(calls));
    const bad = settled[1].reason;
    const outcome = Object.keys(calls).map((name, at) => {
      const { status, reason } = settled[at];
      return [name, status === "fulfilled" ? "ran" : reason === bad ? "same" : reason.reason];
    });
    const values = await Promise.all([a, b, c, d, e, wide].map(async (x) => [...(await x.read())].join()));
    await doGoodJob(gpu);
    const sent = gpu.stats().flushes - flushes;
    await gpu.close();
    return { outcome: Object.fromEntries(outcome), reason: bad.reason, values, events: events.length, sent };
  }, count);
  assert.equal(seen.reason, "validation");
  assert.deepEqual(seen.outcome, {
    before: "ran", bad: "same", direct: "same", indirect: "same", read: "same", independent: "ran",
    batched: "same", copied: "same", rewritten: "ran", partly: "same",
  });
  assert.deepEqual(seen.values, ["41", "10", "11", "10", "10", "1,7"]);
  assert.equal(seen.events, 0, "a copy that fails with what it depends on adds nothing");
});

pageTest("a dependent recorded in a later task, but before the rejection, rejects too; a later one runs", async ({ run }) => {
  const seen = await run(async ({ acquire }, count) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(count);
    await kernel.ready;
    const [n, gone] = [gpu.buffer(Uint32Array.of(10)), gpu.buffer({ dtype: "u32", length: 1 })];
    const two = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @group(0) @binding(1) var<storage, read_write> gone: array<u32>;
      @compute @workgroup_size(1) fn two() { n[0] += 1u; gone[0] = 1u; }`);
    await two.ready;
    await gpu.flush();
    gone.gpuBuffer.destroy();
    const bad = two.dispatch({ n, gone });
    let isRejected = false;
    bad.catch(() => (isRejected = true));
    // The flush is under way now, and unverified.
    await Promise.resolve();
    const during = kernel.dispatch({ n });
    const wasRejected = isRejected;
    const [first, second] = await Promise.allSettled([bad, during]);
    const later = await kernel.dispatch({ n });
    const value = (await n.read())[0];
    await gpu.close();
    return { wasRejected, isSame: first.reason === second.reason, generation: later.generation, value };
  }, count);
  assert.deepEqual(seen, { wasRejected: false, isSame: true, generation: 1, value: 11 });
});

pageTest("concurrent callers never get each other's errors", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const wrong = [];
    const caller = async (who) => {
      for (let round = 0; round < 10; round++) {
        const label = `caller ${who}, round ${round}`;
        const isBad = (who + round) % 3 === 0;
        const kernel = gpu.kernel(`
          @group(0) @binding(0) var<storage, read_write> y: array<u32>;
          @compute @workgroup_size(1) fn main() { y[0] = ${isBad ? "nonsense" : `${who * 100 + round}u`}; }`, { label });
        const gone = gpu.buffer({ dtype: "u32", length: 1 }, { label });
        if (who % 2 === 0) gone.gpuBuffer.destroy();
        const [ran, read] = await Promise.allSettled([kernel.run({ y: out("u32", 1) }), gone.read()]);
        const error = ran.reason;
        if (isBad ? error?.context.label !== label || error.stableId !== 1004 : ran.value?.y[0] !== who * 100 + round) {
          wrong.push([label, String(error)]);
        }
        const lost = read.reason;
        if (who % 2 === 0 ? lost?.context.label !== label || lost.stableId !== 1005 : read.status !== "fulfilled") {
          wrong.push([label, String(lost)]);
        }
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, who) => caller(who)));
    await doGoodJob(gpu);
    await gpu.close();
    return wrong;
  });
  assert.deepEqual(seen, []);
});
