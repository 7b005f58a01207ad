// Moving bytes: write, read, readInto, fill, copyTo, subarray; their ranges, and what is refused.

import assert from "node:assert/strict";

import { assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

pageTest("write, fill and copyTo change their range and nothing beside it", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const seen = {};
    const start = Float32Array.of(1, 2, 3, 4, 5, 6);
    const note = async (name, act) => {
      const buffer = gpu.buffer(start);
      const returned = act(buffer);
      seen[name] = [...(await buffer.read())];
      if (returned !== buffer) seen[name] = "does not return its buffer";
      buffer.destroy();
    };
    await note("write", (b) => b.write([9, 8]));
    await note("write at", (b) => b.write(Float32Array.of(9, 8), 4));
    await note("write bytes", (b) => b.write(new Uint8Array(Float32Array.of(-1).buffer), 1));
    await note("write part of an array", (b) => b.write(Float32Array.of(7, 8, 9).subarray(1, 2), 5));
    await note("fill", (b) => b.fill(7));
    await note("fill with zeros", (b) => b.fill(0, 2, 4));
    await note("fill from", (b) => b.fill(-1.5, 4));
    await note("copyTo", (b) => b.copyTo(gpu.buffer({ dtype: "f32", length: 6 })));
    await note("copy within", (b) => b.copyTo(b, { start: 0, end: 2, at: 3 }));
    const target = gpu.buffer({ dtype: "f32", length: 8 });
    gpu.buffer(start).copyTo(target, { start: 1, end: 4, at: 5 });
    seen.target = [...(await target.read())];
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, {
    write: [9, 8, 3, 4, 5, 6],
    "write at": [1, 2, 3, 4, 9, 8],
    "write bytes": [1, -1, 3, 4, 5, 6],
    "write part of an array": [1, 2, 3, 4, 5, 8],
    fill: [7, 7, 7, 7, 7, 7],
    "fill with zeros": [1, 2, 0, 0, 5, 6],
    "fill from": [1, 2, 3, 4, -1.5, -1.5],
    copyTo: [1, 2, 3, 4, 5, 6],
    "copy within": [1, 2, 3, 1, 2, 6],
    target: [0, 0, 0, 0, 0, 2, 3, 4],
  });
});

pageTest("each type is written, filled and copied by elements", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const seen = {};
    for (const dtype of ["i32", "u32", "f16", "vec2f", "vec4f"]) {
      const buffer = gpu.buffer({ dtype, length: 6 });
      const other = gpu.buffer({ dtype, length: 4 });
      const parts = { vec2f: 2, vec4f: 4 }[dtype] ?? 1;
      buffer.fill(3, 2, 4).write(new Array(2 * parts).fill(5), 4);
      buffer.copyTo(other, { start: 2, end: 6 });
      const [whole, range, copied] = [await buffer.read(), await buffer.read({ start: 3, end: 5 }), await other.read()];
      const values = (array) => [...array].filter((_, index) => index % parts === 0);
      const isEven = (array) => [...array].every((value, index) => value === array[index - (index % parts)]);
      seen[dtype] = [values(whole), values(range), values(copied), [whole, range, copied].every(isEven)];
    }
    const negative = gpu.buffer({ dtype: "i32", length: 2 }).fill(-7);
    const minusZero = gpu.buffer({ dtype: "f32", length: 1 }).fill(-0);
    seen.odd = [[...(await negative.read())], Object.is((await minusZero.read())[0], -0)];
    await gpu.close();
    return seen;
  });
  const of = (three, five) => [[0, 0, three, three, five, five], [three, five], [three, three, five, five], true];
  assert.deepEqual(seen, {
    i32: of(3, 5), u32: of(3, 5), f16: of(0x4200, 0x4500), vec2f: of(3, 5), vec4f: of(3, 5),
    odd: [[-7, -7], true],
  });
});

pageTest("an f16 buffer of odd length is whole, and keeps its neighbours", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const bits = Uint16Array.of(1, 2, 3, 4, 5);
    const odd = gpu.buffer({ dtype: "f16", data: bits });
    const seen = { sizes: [odd.length, odd.byteLength] };
    seen.ranges = [];
    for (const [start, end] of [[0, 5], [1, 2], [1, 5], [3, 4], [4, 5], [2, 2]]) {
      seen.ranges.push([...(await odd.read({ start, end }))]);
    }
    odd.write(Uint16Array.of(9), 4);
    seen.tail = [...(await odd.read())];
    odd.fill(1, 2);
    seen.filled = [...(await odd.read())];
    const target = gpu.buffer({ dtype: "f16", data: Uint16Array.of(7, 7, 7) });
    gpu.buffer({ dtype: "f16", data: bits }).copyTo(target, { start: 2, at: 0 });
    seen.copied = [...(await target.read())];
    const into = new Uint16Array(3);
    await odd.readInto(into, { start: 1, end: 4 });
    seen.into = [...into];
    seen.half = [...(await gpu.buffer(Float16Array.of(1, 2, 3)).read())];
    const floats = new Float16Array(3);
    await gpu.buffer(Float16Array.of(0.5, 2, 3)).readInto(floats);
    seen.floats = [...floats];
    const large = Uint16Array.from({ length: 100_001 }, (_, index) => index & 0x3fff);
    const back = await gpu.buffer({ dtype: "f16", data: large }).read();
    seen.large = back.length === large.length && back.every((value, index) => value === large[index]);
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, {
    sizes: [5, 10],
    ranges: [[1, 2, 3, 4, 5], [2], [2, 3, 4, 5], [4], [5], []],
    tail: [1, 2, 3, 4, 9],
    filled: [1, 2, 0x3c00, 0x3c00, 0x3c00],
    copied: [3, 4, 5],
    into: [2, 0x3c00, 0x3c00],
    half: [0x3c00, 0x4000, 0x4200],
    floats: [0.5, 2, 3],
    large: true,
  });
});

pageTest("bytes are taken at the call, small and large", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }) => {
    const gpu = await acquire();
    const copy = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> x: array<u32>;
      @group(0) @binding(1) var<uniform> add: u32;
      @group(0) @binding(2) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) n: vec3u) {
        let i = id.x + id.y * n.x * 64u;
        if (i < arrayLength(&y)) { y[i] = x[i % arrayLength(&x)] + y[i] + add; }
      }`);
    const seen = {};
    for (const length of [4, 1 << 14, (1 << 14) + 1, 1 << 20]) {
      const data = new Uint32Array(length).fill(5);
      const add = Uint32Array.of(1);
      const written = gpu.buffer({ dtype: "u32", length });
      const created = gpu.buffer(data);
      written.write(data);
      const ran = copy.run({ x: data, add, y: inout(data) });
      const batched = gpu.batch((batch) => (batch.write(written, data), [batch.read(written)]));
      data.fill(99);
      add[0] = 99;
      const [{ y }, [again]] = await Promise.all([ran, batched]);
      const arrays = { created: await created.read(), written: await written.read(), batched: again, ran: y };
      for (const [name, array] of Object.entries(arrays)) {
        const wanted = name === "ran" ? 11 : 5;
        if (array.length !== length || array.some((value) => value !== wanted)) seen[`${name} ${length}`] = array[0];
      }
    }
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, {});
});

pageTest("readInto fills an array of the right length, of any view, and no other", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(Float32Array.of(1, 2, 3, 4), { label: "four" });
    const room = new Float32Array(8).fill(-1);
    await buffer.readInto(room.subarray(2, 6));
    const bytes = new Uint8Array(8);
    await buffer.readInto(bytes, { start: 1, end: 3 });
    const view = new DataView(new ArrayBuffer(12), 4, 8);
    await buffer.readInto(view, { start: 2 });
    const resizable = new Float32Array(new ArrayBuffer(16, { maxByteLength: 32 }));
    await buffer.readInto(resizable);
    const detached = new Float32Array(4);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const late = new Float32Array(4);
    const lateRead = buffer.readInto(late);
    structuredClone(late.buffer, { transfer: [late.buffer] });
    const lateView = new DataView(new ArrayBuffer(16));
    const lateViewRead = buffer.readInto(lateView);
    structuredClone(lateView.buffer, { transfer: [lateView.buffer] });
    const failed = {
      late: await failureOf(lateRead),
      "late DataView": await failureOf(lateViewRead),
      detached: await failureOf(buffer.readInto(detached)),
      short: await failureOf(buffer.readInto(new Float32Array(3))),
      long: await failureOf(buffer.readInto(new Float32Array(5))),
      type: await failureOf(buffer.readInto(new Int32Array(4))),
      nothing: await failureOf(buffer.readInto(undefined)),
    };
    await doGoodJob(gpu);
    await gpu.close();
    const got = [room, new Float32Array(bytes.buffer), new Float32Array(view.buffer), resizable];
    return { got: got.map((array) => [...array]), failed };
  });
  assert.deepEqual(seen.got, [[-1, -1, 1, 2, 3, 4, -1, -1], [2, 3], [0, 3, 4], [1, 2, 3, 4]]);
  const length = [1006, "read", "length-mismatch"];
  assertFailures(seen.failed, {
    late: [[1006, "read", "detached"]],
    "late DataView": [[1006, "read", "detached"]],
    detached: [[1006, "read", "detached"], { context: { argument: "dst" } }],
    short: [length, { message: "`the destination` of `four` must be 16 bytes long, but is 12 bytes." }],
    long: [length, { context: { expected: "16 bytes long", got: "20 bytes" } }],
    type: [[1006, "read", "argument-invalid"], { context: { expected: "f32 data or bytes", got: "an Int32Array" } }],
    nothing: [[1006, "read", "argument-invalid"]],
  });
});

pageTest("a range outside of the buffer, or inside of a word, is refused by number", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const b = gpu.buffer(Float32Array.of(1, 2, 3, 4), { label: "b" });
    const i = gpu.buffer({ dtype: "i32", length: 4 }, { label: "i" });
    const h = gpu.buffer({ dtype: "f16", data: Uint16Array.of(1, 2, 3, 4, 5) }, { label: "h" });
    const wide = gpu.buffer({ dtype: "f32", length: 256 }, { label: "wide" });
    const acts = {
      "write past the end": () => b.write([1, 2], 3),
      "write from past the end": () => b.write([], 5),
      "write at a negative offset": () => b.write([1], -1),
      "write half an element": () => b.write(new Uint8Array(6)),
      "write another type": () => b.write(Int32Array.of(1)),
      "write numbers that do not fit": () => i.write([1, 2 ** 31]),
      "write nothing": () => b.write(undefined),
      "f16 write inside a word": () => h.write(Uint16Array.of(7), 1),
      "f16 write that ends inside a word": () => h.write(Uint16Array.of(7), 2),
      "fill past the end": () => b.fill(0, 2, 5),
      "fill backwards": () => b.fill(0, 3, 2),
      "fill with a fraction": () => i.fill(0.5),
      "fill without a value": () => b.fill(),
      "f16 fill inside a word": () => h.fill(1, 1),
      "copy past the end": () => b.copyTo(b, { start: 0, end: 2, at: 3 }),
      "copy from outside": () => b.copyTo(wide, { end: 5 }),
      "copy over itself": () => b.copyTo(b, { start: 0, end: 2, at: 1 }),
      "copy to another type": () => b.copyTo(i),
      "copy to no buffer": () => b.copyTo(b.gpuBuffer),
      "copy with an unknown option": () => b.copyTo(wide, { from: 1 }),
      "read past the end": () => b.read({ end: 5 }),
      "read backwards": () => b.read({ start: 3, end: 1 }),
      "read from a fraction": () => b.read({ start: 0.5 }),
      "read with an unknown option": () => b.read({ begin: 1 }),
      "subarray inside of the alignment": () => wide.subarray(100),
      "subarray past the end": () => wide.subarray(0, 257),
    };
    const failed = {};
    for (const [name, act] of Object.entries(acts)) failed[name] = await failureOf(async () => act());
    const kept = [[...(await b.read())], [...(await i.read())], [...(await h.read())]];
    await doGoodJob(gpu);
    await gpu.close();
    return { failed, kept };
  });
  const of = (operation, reason) => [1006, operation, reason];
  assertFailures(seen.failed, {
    "write past the end": [of("upload", "out-of-range"), {
      message: "the end of the data is 5, but `b` has 4 elements.",
    }],
    "write from past the end": [of("upload", "out-of-range"), { context: { argument: "offset", got: 5 } }],
    "write at a negative offset": [of("upload", "argument-invalid"), { context: { argument: "offset" } }],
    "write half an element": [of("upload", "length-mismatch"), { context: { got: "6 bytes" } }],
    "write another type": [of("upload", "argument-invalid"), { context: { got: "an Int32Array" } }],
    "write numbers that do not fit": [of("upload", "argument-invalid"), { context: { index: 1 } }],
    "write nothing": [of("upload", "argument-invalid"), { context: { argument: "data" } }],
    "f16 write inside a word": [of("upload", "misaligned"), {
      context: { name: "offset", got: 1, alignment: 2, nearest: 0 },
      message: "`offset` is 1, but must be a multiple of 2; 0 would do.",
    }],
    "f16 write that ends inside a word": [of("upload", "misaligned"), { context: { name: "end", got: 3 } }],
    "fill past the end": [of("dispatch", "out-of-range"), { context: { argument: "end", got: 5 } }],
    "fill backwards": [of("dispatch", "argument-invalid"), { context: { argument: "start", got: 3 } }],
    "fill with a fraction": [of("dispatch", "argument-invalid"), { context: { argument: "value" } }],
    "fill without a value": [of("dispatch", "argument-invalid")],
    "f16 fill inside a word": [of("dispatch", "misaligned"), { context: { got: 1 } }],
    "copy past the end": [of("dispatch", "out-of-range"), { context: { argument: "the end of the copy", got: 5 } }],
    "copy from outside": [of("dispatch", "out-of-range"), { context: { label: "b", argument: "end" } }],
    "copy over itself": [of("dispatch", "aliased"), { context: { label: "b" } }],
    "copy to another type": [of("dispatch", "argument-invalid"), { context: { got: "i32" } }],
    "copy to no buffer": [of("dispatch", "argument-invalid"), { context: { got: "a GPUBuffer" } }],
    "copy with an unknown option": [of("dispatch", "argument-invalid"), { context: { got: '"from"' } }],
    "read past the end": [of("read", "out-of-range"), { context: { argument: "end", got: 5 } }],
    "read backwards": [of("read", "argument-invalid")],
    "read from a fraction": [of("read", "argument-invalid"), { context: { got: "0.5" } }],
    "read with an unknown option": [of("read", "argument-invalid"), { context: { got: '"begin"' } }],
    "subarray inside of the alignment": [of("upload", "misaligned"), {
      context: { got: 100, alignment: 64, nearest: 128 },
    }],
    "subarray past the end": [of("upload", "out-of-range"), { context: { got: 257 } }],
  });
  assert.deepEqual(seen.kept, [[1, 2, 3, 4], [0, 0, 0, 0], [1, 2, 3, 4, 5]]);
});

pageTest("a subarray is the same memory, also in kernels and nested", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const fill = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> part: array<u32>;
      @compute @workgroup_size(1) fn main() {
        for (var i = 0u; i < arrayLength(&part); i++) { part[i] = i + 1u; }
      }`);
    const whole = gpu.buffer({ dtype: "u32", length: 256 });
    const part = whole.subarray(64, 192);
    const inner = part.subarray(64, 67);
    await fill.dispatch({ part: inner }, { workgroups: 1 });
    part.write([9], 2).fill(8, 127);
    whole.write([7], 191 - 127);
    const seen = { lengths: [part.length, inner.length, inner.byteLength] };
    const read = await whole.read();
    seen.set = [...read.entries()].filter(([, value]) => value !== 0);
    seen.inner = [...(await inner.read())];
    const copied = gpu.buffer({ dtype: "u32", length: 3 });
    inner.copyTo(copied);
    inner.copyTo(whole, { at: 0 });
    seen.copied = [...(await copied.read()), ...(await whole.read({ end: 3 }))];
    seen.end = whole.subarray(192).length;
    part.destroy();
    seen.alive = [...(await inner.read())];
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, {
    lengths: [128, 3, 12],
    set: [[64, 7], [66, 9], [128, 1], [129, 2], [130, 3], [191, 8]],
    inner: [1, 2, 3],
    copied: [1, 2, 3, 1, 2, 3],
    end: 64,
    alive: [1, 2, 3],
  });
});

pageTest("gpuBuffer is the browser's buffer, to be drawn from", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(Float32Array.of(1, 2, 3));
    await gpu.flush();
    const raw = buffer.gpuBuffer;
    const usage = GPUBufferUsage.VERTEX | GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.INDIRECT;
    gpu.device.queue.writeBuffer(raw, 4, Float32Array.of(9));
    const seen = [raw instanceof GPUBuffer, raw.size, (raw.usage & usage) === usage, raw === buffer.gpuBuffer];
    const read = [...(await buffer.read())];
    await gpu.close();
    return [...seen, read, buffer.gpuBuffer];
  });
  assert.deepEqual(seen, [true, 12, true, true, [1, 9, 3], undefined]);
});

pageTest("stats count what was moved and run", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> x: array<f32>;
      @group(0) @binding(1) var<storage, read_write> y: array<f32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = x[id.x]; }`);
    const start = gpu.stats();
    const buffer = gpu.buffer(new Float32Array(100));
    buffer.write([1, 2]);
    await buffer.read({ start: 10, end: 20 });
    await kernel.run({ x: new Float32Array(30), y: out("f32", 30) });
    await kernel.dispatch({ x: buffer, y: gpu.buffer({ dtype: "f32", length: 100 }) });
    await failureOf(kernel.run({}));
    const stats = gpu.stats();
    await gpu.close();
    const empty = Object.entries(start).every(([, value]) => value === 0 || JSON.stringify(value) === "{}");
    return { empty, ...stats, flushes: stats.flushes > 0, after: gpu.stats().dispatches };
  });
  assert.deepEqual(seen, {
    empty: true, dispatches: 2, flushes: true, bytesUploaded: 400 + 8 + 120, bytesRead: 40 + 120,
    losses: 0, recoveries: 0, replayed: 0, routes: {}, errors: { 1006: 1 }, after: 2,
  });
});
