// Order: everything happens as it was called, however it travels.

import assert from "node:assert/strict";

import { pageTest } from "./harness.mjs";

const copy = `
@group(0) @binding(0) var<storage, read> x: array<u32>;
@group(0) @binding(1) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
  let i = id.x + id.y * n.x * 64u;
  if (i < arrayLength(&y)) { y[i] = x[i]; }
}`;
const increment = `
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1) fn increment() { n[0] += 1u; }`;

pageTest("a write after a dispatch is not seen by it, recorded or under way, small or large", async ({ run }) => {
  const seen = await run(async ({ acquire }, copy) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(copy);
    await kernel.ready;
    const wrong = [];
    const task = () => new Promise((resolve) => setTimeout(resolve));
    const pauses = { "same task": () => {}, microtask: () => Promise.resolve(), task, flush: () => gpu.flush() };
    for (const length of [1, 100, 1 << 14, (1 << 14) + 1, 1 << 20]) {
      for (const [name, pause] of Object.entries(pauses)) {
        const x = gpu.buffer(new Uint32Array(length).fill(1));
        const [a, b, c] = [0, 1, 2].map(() => gpu.buffer({ dtype: "u32", length }));
        void kernel.dispatch({ x, y: a });
        await pause();
        x.write(new Uint32Array(length).fill(2));
        void kernel.dispatch({ x, y: b });
        await pause();
        x.fill(3);
        x.write(Uint32Array.of(4), length - 1);
        void kernel.dispatch({ x, y: c });
        x.write(new Uint32Array(length).fill(5));
        const read = await Promise.all([a, b, c, x].map((buffer) => buffer.read()));
        const expected = [[1, 1], [2, 2], [length > 1 ? 3 : 4, 4], [5, 5]];
        read.forEach((array, index) => {
          const [body, last] = expected[index];
          const isRight = array.every((value, at) => value === (at === length - 1 ? last : body));
          if (!isRight) wrong.push([length, name, index, array[0], array[length - 1]]);
        });
        for (const buffer of [x, a, b, c]) buffer.destroy();
      }
    }
    await gpu.close();
    return wrong;
  }, copy);
  assert.deepEqual(seen, []);
});

pageTest("long chains of calls over many tasks come out right", async ({ run }) => {
  const seen = await run(async ({ acquire }, increment) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const [n, m] = [gpu.buffer({ dtype: "u32", length: 1 }), gpu.buffer({ dtype: "u32", length: 1 })];
    const bound = kernel.bind({ n });
    const reads = [];
    for (let at = 1; at <= 2000; at++) {
      void (at % 2 ? bound.dispatch() : kernel.dispatch({ n }));
      if (at % 100 === 0) reads.push(n.read().then(([value]) => value === at));
      if (at % 7 === 0) await Promise.resolve();
      if (at % 50 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    for (let at = 0; at < 200; at++) await kernel.dispatch({ n: m });
    const seen = { reads: (await Promise.all(reads)).every(Boolean), n: (await n.read())[0], m: (await m.read())[0] };
    const { dispatches, flushes } = gpu.stats();
    await gpu.close();
    return { ...seen, dispatches, isGrouped: flushes < 1000 };
  }, increment);
  assert.deepEqual(seen, { reads: true, n: 2000, m: 200, dispatches: 2200, isGrouped: true });
});

pageTest("un-awaited calls of a task are one submission", async ({ run }) => {
  const seen = await run(async ({ acquire }, increment) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(increment);
    const n = gpu.buffer({ dtype: "u32", length: 1 });
    await kernel.ready;
    await gpu.flush();
    const before = gpu.stats().flushes;
    for (let at = 0; at < 500; at++) void kernel.dispatch({ n });
    n.write([1000]);
    for (let at = 0; at < 500; at++) void kernel.dispatch({ n });
    const value = (await n.read())[0];
    const seen = [value, gpu.stats().flushes - before];
    await gpu.close();
    return seen;
  }, increment);
  assert.deepEqual(seen, [1500, 1]);
});

/** In the page: random operations on the GPU beside the same on arrays; gives what differed. */
async function compare({ acquire, inout }, { seed, rounds, strict }) {
  const gpu = await acquire({ strict });
  let state = seed >>> 0;
  const random = (below) => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) % below;
  };
  const mix = gpu.kernel(`
    @group(0) @binding(0) var<storage, read> x: array<u32>;
    @group(0) @binding(1) var<uniform> k: vec2u;
    @group(0) @binding(2) var<storage, read_write> y: array<u32>;
    @compute @workgroup_size(64) fn mix(@builtin(global_invocation_id) id: vec3u) {
      if (id.x < arrayLength(&y)) { y[id.x] = y[id.x] * 3u + x[id.x % arrayLength(&x)] + k.x * id.x + k.y; }
    }`);
  const lengths = [1, 3, 64, 65, 200, 256, 1000, 20_000, 40_000];
  const create = (at) => {
    const array = Uint32Array.from({ length: lengths[at] }, () => random(2 ** 32));
    return { buffer: gpu.buffer(array), array };
  };
  const all = lengths.map((_, at) => create(at));
  const waiting = new Set();
  const wrong = [];
  const same = (a, b) => a.length === b.length && a.every((value, at) => value === b[at]);
  const check = (promise, expected, what) => {
    const checked = promise.then(
      (got) => { if (!same(got, expected)) wrong.push(what); },
      (error) => wrong.push([...what, String(error)]),
    );
    waiting.add(checked);
    checked.finally(() => waiting.delete(checked));
  };
  const range = (length) => {
    const start = random(length + 1);
    return [start, start + random(length - start + 1)];
  };
  const apply = (x, k, y) => y.forEach((value, i) => (y[i] = Math.imul(value, 3) + x[i % x.length] + Math.imul(k[0], i) + k[1]));

  for (let round = 0; round < rounds && wrong.length < 5; round++) {
    const at = random(all.length);
    const { buffer, array } = all[at];
    const other = all[(at + 1 + random(all.length - 1)) % all.length];
    const k = [random(100), random(100)];
    const what = random(16);
    const note = [round, what, array.length, other.array.length];
    if (what <= 2) {
      const [start, end] = range(array.length);
      const data = Uint32Array.from({ length: end - start }, () => random(2 ** 32));
      array.set(data, start);
      buffer.write(data, start);
      data.fill(0);
    } else if (what === 3) {
      const [start, end] = range(array.length);
      const value = random(3) ? random(2 ** 32) : 0;
      array.fill(value, start, end);
      buffer.fill(value, start, end);
    } else if (what <= 5) {
      const count = random(Math.min(array.length, other.array.length) + 1);
      const start = random(array.length - count + 1);
      const to = random(other.array.length - count + 1);
      other.array.set(array.subarray(start, start + count), to);
      buffer.copyTo(other.buffer, { start, end: start + count, at: to });
    } else if (what <= 9) {
      apply(other.array, k, array);
      void mix.dispatch({ x: other.buffer, k, y: buffer }).catch((error) => wrong.push([...note, String(error)]));
    } else if (what === 10 && array.length > 64) {
      apply(other.array, k, array.subarray(64));
      const part = buffer.subarray(64);
      void mix.dispatch({ y: part, x: other.buffer, k });
      part.destroy();
    } else if (what === 11) {
      const expected = array.slice();
      apply(other.array, k, expected);
      check(mix.run({ x: other.buffer, k, y: inout(array) }).then(({ y }) => y), expected, note);
    } else if (what === 12) {
      const data = Uint32Array.from({ length: array.length }, () => random(2 ** 32));
      array.set(data);
      apply(other.array, k, array);
      const expected = array.slice();
      apply(array, k, other.array);
      check(gpu.batch((batch) => {
        batch.write(buffer, data);
        batch.dispatch(mix, { x: other.buffer, k, y: buffer });
        const read = batch.read(buffer);
        batch.dispatch(mix, { x: buffer, k, y: other.buffer });
        return read;
      }), expected, note);
      data.fill(0);
    } else if (what === 13) {
      const [start, end] = range(array.length);
      check(buffer.read({ start, end }), array.slice(start, end), note);
    } else if (what === 14) {
      buffer.destroy();
      all[at] = create(at);
    } else {
      const pause = random(8);
      if (pause === 0) await gpu.flush();
      else if (pause === 1) await Promise.all(waiting);
      else if (pause <= 3) await new Promise((resolve) => setTimeout(resolve));
      else await Promise.resolve();
    }
  }
  for (const { buffer, array } of all) check(buffer.read(), array, ["end", array.length]);
  await Promise.all(waiting);
  const { errors } = gpu.stats();
  await gpu.close();
  return { wrong, errors };
}

/** Another one in every run; a failure says which, to be run again. */
const seed = Number(process.env.STEADFAST_SEED ?? Date.now() % 2 ** 31);
for (const [strict, rounds] of [[false, 4000], [true, 400]]) {
  const title = `${rounds} random operations agree with the same on arrays${strict ? ", in strict mode" : ""}`;
  pageTest(title, { timeout: 180_000 }, async ({ run }) => {
    const seen = await run(compare, { seed, rounds, strict });
    assert.deepEqual(seen, { wrong: [], errors: {} }, `with STEADFAST_SEED=${seed}`);
  });
}
