// Buffers: what they are made of, what comes back, and what is refused.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

pageTest("a buffer of each type starts as zeros, or as the numbers given", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const made = {};
    for (const dtype of ["f32", "i32", "u32", "f16", "vec2f", "vec4f"]) {
      const zeros = gpu.buffer({ dtype, length: 3 });
      const data = gpu.buffer({ dtype, data: [1, 2, 3, 4] });
      const read = await data.read();
      made[dtype] = {
        zeros: [...(await zeros.read())],
        data: [...read],
        array: read.constructor.name,
        lengths: [zeros.length, zeros.byteLength, data.length, data.byteLength],
        is: [zeros.dtype, (await zeros.ready) === zeros],
      };
    }
    await doGoodJob(gpu);
    await gpu.close();
    return made;
  });
  const zeros = (count) => new Array(count).fill(0);
  const expected = (dtype, array, data, parts, lengths) => ({
    zeros: zeros(3 * parts), data, array, lengths, is: [dtype, true],
  });
  assert.deepEqual(seen, {
    f32: expected("f32", "Float32Array", [1, 2, 3, 4], 1, [3, 12, 4, 16]),
    i32: expected("i32", "Int32Array", [1, 2, 3, 4], 1, [3, 12, 4, 16]),
    u32: expected("u32", "Uint32Array", [1, 2, 3, 4], 1, [3, 12, 4, 16]),
    f16: expected("f16", "Uint16Array", [0x3c00, 0x4000, 0x4200, 0x4400], 1, [3, 6, 4, 8]),
    vec2f: expected("vec2f", "Float32Array", [1, 2, 3, 4], 2, [3, 24, 2, 16]),
    vec4f: expected("vec4f", "Float32Array", [1, 2, 3, 4], 4, [3, 48, 1, 16]),
  });
});

pageTest("a typed array gives its type and its contents", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const bytes = Uint8Array.from({ length: 32 }, (_, index) => index * 7 + 1);
    const wide = new ArrayBuffer(64);
    new Uint8Array(wide).set(bytes, 8);
    const resizable = new ArrayBuffer(32, { maxByteLength: 64 });
    new Uint8Array(resizable).set(bytes);
    const words = new Uint32Array(bytes.buffer);
    const sources = {
      Float32Array: Float32Array.of(0.5, -1.25, 3e38, -0),
      Int32Array: Int32Array.of(-(2 ** 31), 2 ** 31 - 1, -1),
      Uint32Array: Uint32Array.of(2 ** 32 - 1, 0, 7),
      Float16Array: Float16Array.of(0.5, -2, 65504),
      Uint8Array: bytes,
      Int8Array: new Int8Array(bytes.buffer),
      Uint8ClampedArray: new Uint8ClampedArray(bytes.buffer),
      Int16Array: new Int16Array(bytes.buffer),
      Uint16Array: new Uint16Array(bytes.buffer),
      Float64Array: new Float64Array(bytes.buffer),
      BigInt64Array: new BigInt64Array(bytes.buffer),
      BigUint64Array: new BigUint64Array(bytes.buffer),
      DataView: new DataView(bytes.buffer),
      ImageData: new ImageData(new Uint8ClampedArray(bytes), 8, 1).data,
      "with a byteOffset": new Uint8Array(wide, 8, 32),
      "on a resizable buffer": new Uint8Array(resizable),
    };
    const made = {};
    for (const [name, source] of Object.entries(sources)) {
      const buffer = gpu.buffer(source);
      const read = await buffer.read();
      const same = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
      const got = new Uint8Array(read.buffer);
      made[name] = [buffer.dtype, buffer.length, got.length === same.length && got.every((b, i) => b === same[i])];
    }
    await gpu.close();
    return { made, words: words.length };
  });
  const raw = ["u32", seen.words, true];
  assert.deepEqual(seen.made, {
    Float32Array: ["f32", 4, true],
    Int32Array: ["i32", 3, true],
    Uint32Array: ["u32", 3, true],
    Float16Array: ["f16", 3, true],
    Uint8Array: raw, Int8Array: raw, Uint8ClampedArray: raw, Int16Array: raw, Uint16Array: raw, Float64Array: raw,
    BigInt64Array: raw, BigUint64Array: raw, DataView: raw, ImageData: raw,
    "with a byteOffset": raw, "on a resizable buffer": raw,
  });
});

pageTest("arrays of another realm count as what they are", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const frame = document.body.appendChild(document.createElement("iframe"));
    const other = frame.contentWindow.Float32Array.of(1, 2, 3);
    const buffer = gpu.buffer(other);
    const result = [other instanceof Float32Array, buffer.dtype, [...(await buffer.read())]];
    await gpu.close();
    return result;
  });
  assert.deepEqual(seen, [false, "f32", [1, 2, 3]]);
});

pageTest("a view of shared memory is uploaded, and read into", { path: "/isolated" }, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const large = 1 << 18;
    const shared = new Uint32Array(new SharedArrayBuffer(large * 4)).map((_, index) => index ^ 0xabcd);
    const views = [shared.subarray(4, 7), shared];
    const read = [];
    for (const view of views) {
      const buffer = gpu.buffer(view);
      const back = await buffer.read();
      const into = new Uint32Array(new SharedArrayBuffer(view.byteLength));
      await buffer.readInto(into);
      read.push(back.every((word, index) => word === view[index]) && into.every((word, index) => word === view[index]));
      buffer.write(view);
    }
    await gpu.flush();
    await doGoodJob(gpu);
    await gpu.close();
    return { isolated: crossOriginIsolated, read };
  });
  assert.deepEqual(seen, { isolated: true, read: [true, true] });
});

pageTest("zero lengths give empty arrays", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const none = gpu.buffer(new Float32Array(0));
    const half = gpu.buffer({ dtype: "f16", length: 0 });
    const full = gpu.buffer(Float32Array.of(1, 2, 3));
    none.write([]).write(new Float32Array(0)).fill(1);
    full.write([], 3).fill(9, 1, 1).copyTo(none, { start: 2, end: 2 });
    await none.readInto(new Float32Array(0));
    const seen = {
      sizes: [none.length, none.byteLength, half.byteLength],
      reads: [await none.read(), await half.read(), await full.read({ start: 3 }), await full.read({ start: 1, end: 1 })],
      full: [...(await full.read())],
    };
    await (await none.ready).read();
    await gpu.close();
    return { ...seen, reads: seen.reads.map((array) => [array.constructor.name, array.length]) };
  });
  const empty = (name) => [name, 0];
  assert.deepEqual(seen, {
    sizes: [0, 0, 0],
    reads: [empty("Float32Array"), empty("Uint16Array"), empty("Float32Array"), empty("Float32Array")],
    full: [1, 2, 3],
  });
});

pageTest("numbers into an integer type must be whole and in range; floats round once", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const refused = {};
    const refuse = async (name, dtype, data) => {
      refused[name] = await failureOf(async () => gpu.buffer({ dtype, data }));
    };
    await refuse("a fraction", "i32", [1, 2.5]);
    await refuse("negative in u32", "u32", [0, 1, -1]);
    await refuse("too big for i32", "i32", [2 ** 31]);
    await refuse("too big for u32", "u32", [2 ** 32]);
    await refuse("NaN in i32", "i32", [NaN]);
    await refuse("a string", "f32", [1, "2"]);
    await refuse("a hole", "f32", [1, , 3]);
    await refuse("a bigint", "i32", [1n]);
    const halves = gpu.buffer({ dtype: "f16", data: [65504, 65519, 65520, 2 ** -24, 2 ** -25, -0, NaN, 0.1] });
    const floats = gpu.buffer({ dtype: "f32", data: [0.1, 1e39, -1e39, NaN] });
    const like = gpu.buffer({ dtype: "u32", data: { length: 2, 0: 7, 1: 8 } });
    const read = [await halves.read(), await floats.read(), await like.read()];
    await doGoodJob(gpu);
    await gpu.close();
    return { refused, read: read.map((array) => Array.from(array, String)) };
  });
  const invalid = [1006, "upload", "argument-invalid"];
  const at = (index, got) => [invalid, { context: { index, got } }];
  assertFailures(seen.refused, {
    "a fraction": [invalid, {
      message: "src.data[1] must be a whole number from -2147483648 to 2147483647, but is 2.5.",
    }],
    "negative in u32": at(2, "-1"),
    "too big for i32": at(0, "2147483648"),
    "too big for u32": at(0, "4294967296"),
    "NaN in i32": at(0, "NaN"),
    "a string": at(1, '"2"'),
    "a hole": at(1, "undefined"),
    "a bigint": at(0, "1n"),
  });
  const bits = [0x7bff, 0x7bff, 0x7c00, 1, 0, 0x8000, 0x7e00, 0x2e66];
  assert.deepEqual(seen.read, [
    bits.map(String),
    [String(Math.fround(0.1)), "Infinity", "-Infinity", "NaN"],
    ["7", "8"],
  ]);
});

pageTest("what is no data, or no whole elements, is refused at once", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const detached = new Float32Array(8);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const detachedView = new DataView(new ArrayBuffer(8));
    structuredClone(detachedView.buffer, { transfer: [detachedView.buffer] });
    const shrunk = new ArrayBuffer(32, { maxByteLength: 64 });
    const beyond = new Float32Array(shrunk, 16, 4);
    shrunk.resize(8);
    const sources = {
      nothing: undefined,
      null: null,
      "a number": 7,
      "an array": [1, 2, 3],
      "a buffer without a view": new ArrayBuffer(8),
      "an unknown type": { dtype: "f64", length: 2 },
      "no length": { dtype: "f32" },
      "a negative length": { dtype: "f32", length: -1 },
      "half an element": { dtype: "f32", length: 1.5 },
      "a length past 2^53": { dtype: "f32", length: 2 ** 53 },
      "odd bytes": new Uint8Array(7),
      "odd bytes for vec4f": { dtype: "vec4f", data: new Float32Array(6) },
      "an array of another type": { dtype: "f32", data: new Int32Array(2) },
      "a text": { dtype: "f32", data: "12" },
      "a detached array": detached,
      "a detached DataView": detachedView,
      "detached data": { dtype: "f32", data: detached },
      "a view past the end of a shrunk buffer": beyond,
    };
    const refused = {};
    for (const [name, source] of Object.entries(sources)) refused[name] = await failureOf(async () => gpu.buffer(source));
    refused["an unknown option"] = await failureOf(async () => gpu.buffer(Float32Array.of(1), { lable: "x" }));
    refused["a label that is no string"] = await failureOf(async () => gpu.buffer(Float32Array.of(1), { label: 1 }));
    const { buffers, liveBytes } = gpu.memory();
    await doGoodJob(gpu);
    await gpu.close();
    return { refused, buffers, liveBytes };
  });
  const invalid = [1006, "upload", "argument-invalid"];
  const length = [1006, "upload", "length-mismatch"];
  const detached = [1006, "upload", "detached"];
  assertFailures(seen.refused, {
    nothing: [invalid, { context: { argument: "src", got: "undefined" } }],
    null: [invalid],
    "a number": [invalid, { message: "src must be a typed array, { dtype, length } or { dtype, data }, but is 7." }],
    "an array": [invalid, { context: { got: "an array of 3" } }],
    "a buffer without a view": [invalid, { context: { got: "an ArrayBuffer" } }],
    "an unknown type": [invalid, { context: { got: '"f64"' } }],
    "no length": [invalid, { context: { argument: "src.length" } }],
    "a negative length": [invalid, { context: { got: "-1" } }],
    "half an element": [invalid, { context: { got: "1.5" } }],
    "a length past 2^53": [invalid],
    "odd bytes": [length, { message: /^`src` of `buffer \d+` must be a multiple of 4 bytes long, but is 7 bytes\.$/ }],
    "odd bytes for vec4f": [length, { context: { expected: "a multiple of 16 bytes long", got: "24 bytes" } }],
    "an array of another type": [invalid, { context: { got: "an Int32Array" } }],
    "a text": [invalid],
    "a detached array": [detached, {
      message: "The memory of src was transferred away, so it has no contents.",
    }],
    "a detached DataView": [detached],
    "detached data": [detached, { context: { argument: "src.data" } }],
    "a view past the end of a shrunk buffer": [detached],
    "an unknown option": [invalid, { context: { got: '"lable"' } }],
    "a label that is no string": [invalid],
  });
  assert.deepEqual([seen.buffers, seen.liveBytes], [0, 0], "nothing was made");
});

pageTest("a label names the buffer in errors; without one it has a number", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const plain = gpu.buffer({ dtype: "f32", length: 1 });
    const named = gpu.buffer({ dtype: "f32", length: 1 }, { label: "weights" });
    const failure = await failureOf(named.read({ start: 2 }));
    const part = gpu.buffer({ dtype: "f32", length: 64 }, { label: "whole" }).subarray(0, 4);
    const labels = [plain.label, named.label, part.label, named.gpuBuffer.label];
    await gpu.close();
    return { labels, failure };
  });
  assert.deepEqual(seen.labels, ["buffer 1", "weights", "whole", "weights"]);
  assertFailure(seen.failure, [1006, "read", "out-of-range"], {
    context: { label: "weights", argument: "start", got: 2 },
    message: "start is 2, but `weights` has 1 elements.",
    fix: "Keep the range inside the buffer.",
  });
});

pageTest("a destroyed buffer, and one of another Gpu, are refused by every use", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const [gpu, other] = await Promise.all([acquire(), acquire()]);
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> x: array<f32>;
      @compute @workgroup_size(1) fn main() { x[0] = 1; }`);
    const good = gpu.buffer({ dtype: "f32", length: 4 });
    const gone = gpu.buffer({ dtype: "f32", length: 64 }, { label: "gone" });
    const part = gone.subarray(0);
    const bound = kernel.bind({ x: gone });
    gone.destroy();
    gone.destroy();
    gone[Symbol.dispose]();
    const foreign = other.buffer({ dtype: "f32", length: 4 }, { label: "foreign" });
    const uses = (buffer) => ({
      write: async () => buffer.write([1]),
      fill: async () => buffer.fill(1),
      copyTo: async () => buffer.copyTo(good),
      "copied to": async () => good.copyTo(buffer, { end: 1 }),
      subarray: async () => buffer.subarray(0),
      read: () => buffer.read(),
      readInto: () => buffer.readInto(new Float32Array(4)),
      ready: () => buffer.ready,
      run: () => kernel.run({ x: buffer }),
      dispatch: () => kernel.dispatch({ x: buffer }),
      bind: async () => kernel.bind({ x: buffer }),
      elementwise: () => gpu.elementwise("x")(buffer),
      "batch.read": () => gpu.batch((batch) => [batch.read(buffer)]),
      "batch.write": () => gpu.batch((batch) => batch.write(buffer, new Float32Array(1))),
    });
    const failed = { gone: {}, part: {}, foreign: {} };
    for (const [name, use] of Object.entries(uses(gone))) failed.gone[name] = await failureOf(use);
    for (const [name, use] of Object.entries(uses(part))) failed.part[name] = await failureOf(use);
    failed.gone["bound dispatch"] = await failureOf(bound.dispatch());
    const ofGpu = uses(foreign);
    for (const name of ["copied to", "run", "dispatch", "bind", "elementwise", "batch.read", "batch.write"]) {
      failed.foreign[name] = await failureOf(ofGpu[name]);
    }
    const raw = [gone.gpuBuffer, part.gpuBuffer, typeof good.gpuBuffer];
    await doGoodJob(gpu);
    await Promise.all([gpu.close(), other.close()]);
    return { failed, raw };
  });
  const operations = { write: "upload", subarray: "upload", ready: "upload", read: "read", readInto: "read" };
  for (const [who, reason] of [["gone", "destroyed"], ["part", "destroyed"], ["foreign", "foreign"]]) {
    for (const [use, failure] of Object.entries(seen.failed[who])) {
      const label = who === "foreign" ? "foreign" : "gone";
      assertFailure(failure, [1006, operations[use] ?? "dispatch", reason], { context: { label } });
    }
  }
  assert.equal(seen.failed.gone.read.message, "`gone` was destroyed before this use.");
  assert.equal(seen.failed.foreign.run.message, "`foreign` belongs to another Gpu.");
  assert.deepEqual(seen.raw, [undefined, undefined, "object"]);
});

pageTest("ready settles although the buffer is destroyed meanwhile", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer({ dtype: "f32", length: 4 });
    const ready = buffer.ready;
    buffer.destroy();
    const settled = await Promise.race([
      ready.then(() => "resolved", () => "rejected"),
      new Promise((resolve) => setTimeout(resolve, 5000, "pending")),
    ]);
    await gpu.close();
    return settled;
  });
  assert.equal(seen, "resolved");
});
