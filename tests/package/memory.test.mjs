// Memory: bulk data never enters the wasm, and everything that is made is freed.

import assert from "node:assert/strict";

import { pageTest } from "./harness.mjs";

pageTest("64 MiB up and down leave the wasm's memory as it is", { timeout: 120_000 }, async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }) => {
    const gpu = await acquire();
    const copy = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> x: array<u32>;
      @group(0) @binding(1) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(256) fn copy(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
        let i = id.x + id.y * n.x * 256u;
        if (i < arrayLength(&y)) { y[i] += x[i]; }
      }`);
    await doGoodJob(gpu);
    const before = gpu.memory().wasmBytes;
    const length = 16 << 20;
    const data = Uint32Array.from({ length }, (_, index) => index * 2654435761);
    const right = [];
    const check = (array) => right.push(array.length === length && array.every((value, index) => value === data[index]));
    const buffer = gpu.buffer(data);
    check(await buffer.read());
    const into = new Uint32Array(length);
    await buffer.readInto(into);
    check(into);
    buffer.destroy();
    const { y } = await copy.run({ x: data, y: out("u32", length) });
    check(y);
    const { y: changed } = await copy.run({ x: new Uint32Array(length), y: inout(data) });
    check(changed);
    const written = gpu.buffer({ dtype: "u32", length }).write(data.subarray(0, 100)).write(data);
    const [read] = await gpu.batch((batch) => (batch.write(written, data), [batch.read(written)]));
    check(read);
    written.destroy();
    const grown = gpu.memory().wasmBytes - before;
    await doGoodJob(gpu);
    await gpu.close();
    return { right, grown };
  });
  assert.deepEqual(seen.right, [true, true, true, true, true]);
  assert.ok(seen.grown < 2 << 20, `the wasm grew by ${seen.grown} bytes`);
});

pageTest("10,000 rounds of create, run, read and destroy leave everything flat", { timeout: 180_000 }, async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const wgsl = `
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @group(0) @binding(1) var<uniform> more: u32;
      @compute @workgroup_size(1) fn add() { n[0] += more; }`;
    const kernel = gpu.kernel(wgsl);
    let wrong = 0;
    const round = async (at) => {
      const n = gpu.buffer({ dtype: "u32", length: 4 + (at % 50) });
      n.write([at]);
      void kernel.dispatch({ n, more: 1 }, { workgroups: 1 });
      const read = n.read({ end: 1 });
      if (at % 10 === 0) {
        const { n: result } = await kernel.run({ n: out("u32", 1 + (at % 300)), more: at }, { workgroups: 1 });
        if (result[0] !== at) wrong += 1;
      }
      if (at % 100 === 0) {
        const own = gpu.kernel(wgsl);
        await own.dispatch({ n, more: 0 }, { workgroups: 1 });
        own.destroy();
        await failureOf(gpu.kernel("broken").ready);
        await failureOf(gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize }).ready);
      }
      n.destroy();
      if ((await read)[0] !== at + 1) wrong += 1;
    };
    const rounds = async (from, to) => {
      for (let at = from; at < to; at += 20) await Promise.all(Array.from({ length: 20 }, (_, index) => round(at + index)));
      await gpu.flush();
      const { liveBytes, pooledBytes, buffers, wasmBytes } = gpu.memory();
      return { liveBytes, pooledBytes, buffers, wasmBytes };
    };
    const early = await rounds(0, 2000);
    const late = await rounds(2000, 10_000);
    await doGoodJob(gpu);
    await gpu.close();
    const closed = gpu.memory();
    return { wrong, early, late, closed: [closed.liveBytes, closed.buffers, closed.pooledBytes] };
  });
  assert.equal(seen.wrong, 0);
  const { wasmBytes, ...late } = seen.late;
  const { wasmBytes: earlyBytes, ...early } = seen.early;
  assert.deepEqual(late, early);
  // One page, for what happens to be in flight at once; 8,000 leaks of a few bytes would be more.
  assert.ok(wasmBytes - earlyBytes <= 65_536, `the wasm grew by ${wasmBytes - earlyBytes} bytes`);
  assert.equal(seen.late.liveBytes, seen.late.pooledBytes, "all that is left is idle in the pool");
  assert.deepEqual(seen.closed, [0, 0, 0]);
});

pageTest("buffers count while they live: made, destroyed, disposed, failed", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const counted = () => {
      const { liveBytes, buffers, peakBytes } = gpu.memory();
      return [liveBytes, buffers, peakBytes];
    };
    const seen = {};
    const a = gpu.buffer({ dtype: "f32", length: 100 });
    const b = gpu.buffer({ dtype: "vec4f", length: 10 });
    const part = a.subarray(0, 4);
    await Promise.all([a.ready, b.ready]);
    seen.made = counted();
    part.destroy();
    a.destroy();
    seen.destroyed = counted();
    b[Symbol.dispose]();
    seen.disposed = counted();
    const huge = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize / 4 });
    const past = gpu.buffer({ dtype: "u32", length: gpu.limits.maxBufferSize });
    await Promise.all([failureOf(huge.ready), failureOf(past.ready)]);
    seen.failed = counted();
    huge.destroy();
    past.destroy();
    seen.gone = counted();
    await doGoodJob(gpu);
    const { shadowBytes, wasmBytes } = gpu.memory();
    await gpu.close();
    return { ...seen, shadowBytes, hasWasm: wasmBytes > 65_536 };
  });
  assert.deepEqual(seen, {
    made: [560, 2, 560], destroyed: [160, 1, 560], disposed: [0, 0, 560], failed: [0, 0, 560], gone: [0, 0, 560],
    shadowBytes: 0, hasWasm: true,
  });
});

pageTest("a buffer that recorded calls need is freed with the last of them", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const double = gpu.elementwise("x * 2");
    await doGoodJob(gpu);
    const idle = gpu.memory();
    const x = gpu.buffer(new Float32Array(1 << 16).fill(3));
    const doubled = double(x);
    const read = x.read({ end: 2 });
    x.destroy();
    const during = gpu.memory().liveBytes - idle.liveBytes >= 1 << 18;
    const values = [(await doubled)[5], [...(await read)]];
    await gpu.flush();
    const { liveBytes, pooledBytes } = gpu.memory();
    await gpu.close();
    return { during, values, left: liveBytes - pooledBytes };
  });
  assert.deepEqual(seen, { during: true, values: [6, [3, 3]], left: 0 });
});
