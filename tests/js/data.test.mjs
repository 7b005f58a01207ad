// What a user hands over becomes what the wasm takes, bit by bit, or an error that says where it does not fit.

import assert from "node:assert/strict";
import { test } from "node:test";

import { modulesOf } from "./modules.mjs";

const { contentsOf, inout, numbers, out, sameView, typedArray, viewOf } = await modulesOf(`export * from "./data.js"`);

function refusal(act) {
  try {
    act();
  } catch (error) {
    return `${error.code} ${error.reason}: ${error.message}`;
  }
  return assert.fail("was not refused");
}

function detached(view) {
  structuredClone(view.buffer, { transfer: [view.buffer] });
  return view;
}

test("a typed array says its type; other views are bytes as u32", () => {
  const cases = [
    [Float32Array.of(1, 2), "f32", 2],
    [Int32Array.of(1), "i32", 1],
    [Uint32Array.of(1, 2, 3), "u32", 3],
    [new Uint8Array(8), "u32", 2],
    [new Uint8ClampedArray(4), "u32", 1],
    [new Float64Array(1), "u32", 2],
    [BigUint64Array.of(1n, 2n), "u32", 4],
    [new DataView(new ArrayBuffer(12), 4), "u32", 2],
    [new Uint16Array(4).subarray(2), "u32", 1],
    [new Float32Array(new SharedArrayBuffer(8)), "f32", 2],
    [new Float32Array(0), "f32", 0],
  ];
  for (const [src, dtype, length] of cases) {
    const contents = contentsOf(src, "b");
    assert.deepEqual([contents.dtype, contents.length], [dtype, length]);
    assert.equal(contents.data, src, "the bytes are not copied");
  }
});

test("bytes that are no whole elements are refused", () => {
  assert.equal(
    refusal(() => contentsOf(new Uint8Array(6), "pixels")),
    "InvalidProgram length-mismatch: `src` of `pixels` must be a multiple of 4 bytes long, but is 6 bytes.",
  );
  assert.match(
    refusal(() => contentsOf({ dtype: "vec4f", data: new Float32Array(6) }, "b")),
    /multiple of 16 bytes/,
  );
  assert.equal(contentsOf({ dtype: "f16", data: [1, 2, 3] }, "b").length, 3);
  assert.equal(contentsOf({ dtype: "vec4f", data: new Float32Array(8) }, "b").length, 2);
});

test("a named type takes zeros, numbers, its own arrays and bytes", () => {
  assert.deepEqual(contentsOf({ dtype: "vec2f", length: 5 }, "b"), { dtype: "vec2f", length: 5 });
  assert.deepEqual(viewOf([1, -2], "i32", "upload", "data"), Int32Array.of(1, -2));
  assert.deepEqual(viewOf({ length: 2, 0: 1.5, 1: 2 }, "f32", "upload", "data"), Float32Array.of(1.5, 2));
  for (const own of [Float32Array.of(1), new Uint8Array(4), new DataView(new ArrayBuffer(4)), new BigInt64Array(1)]) {
    assert.equal(viewOf(own, "f32", "upload", "data"), own);
  }
  const bits = Uint16Array.of(0x3c00);
  assert.equal(viewOf(bits, "f16", "upload", "data"), bits);
});

test("an array of another type is refused, not reinterpreted", () => {
  assert.equal(
    refusal(() => viewOf(Int32Array.of(1), "f32", "upload", "data")),
    "InvalidProgram argument-invalid: data must be f32 data or bytes, but is an Int32Array.",
  );
  assert.match(
    refusal(() => viewOf(Float64Array.of(1), "f32", "upload", "data")),
    /a Float64Array/,
  );
  assert.match(
    refusal(() => viewOf(Uint16Array.of(1), "u32", "upload", "data")),
    /a Uint16Array/,
  );
  assert.match(
    refusal(() => viewOf("text", "f32", "upload", "data")),
    /"text"/,
  );
  assert.match(
    refusal(() => contentsOf([1, 2], "b")),
    /but is an array of 2/,
  );
  assert.match(
    refusal(() => contentsOf({ dtype: "f64", length: 1 }, "b")),
    /one of f32, i32, u32, f16, vec2f, vec4f/,
  );
  assert.match(
    refusal(() => contentsOf({ dtype: "f32", length: 1.5 }, "b")),
    /src.length must be a whole number/,
  );
});

test("a number that does not fit an integer is named with its index", () => {
  const i32 = (data) => () => numbers(data, "i32", "upload", "data");
  const u32 = (data) => () => numbers(data, "u32", "upload", "data");
  assert.equal(
    refusal(i32([1, 2, 2.5])),
    "InvalidProgram argument-invalid: data[2] must be a whole number from -2147483648 to 2147483647, but is 2.5.",
  );
  for (const bad of [2 ** 31, -(2 ** 31) - 1, NaN, Infinity, "1", null, undefined, 1n]) {
    assert.match(refusal(i32([bad])), /data\[0\]/);
  }
  for (const bad of [-1, 2 ** 32, 0.1]) assert.match(refusal(u32([0, bad])), /data\[1\]/);
  assert.deepEqual(i32([2 ** 31 - 1, -(2 ** 31), -0])(), Int32Array.of(2 ** 31 - 1, -(2 ** 31), 0));
  assert.deepEqual(u32([2 ** 32 - 1])(), Uint32Array.of(2 ** 32 - 1));
  assert.match(
    refusal(() => numbers(["1"], "f32", "upload", "data")),
    /data\[0\] must be a number/,
  );
  assert.match(
    refusal(() => numbers(new Array(1), "f16", "upload", "data")),
    /but is undefined/,
  );
});

test("numbers become halves, rounded to nearest with ties to even", () => {
  const bits = (...values) => [...numbers(values, "f16", "upload", "data")].map((half) => half.toString(16));
  assert.deepEqual(bits(0, -0, 1, -2, 0.5, 65504), ["0", "8000", "3c00", "c000", "3800", "7bff"]);
  assert.deepEqual(bits(Infinity, -Infinity, NaN, 65519.99, 65520, 1e300), [
    "7c00",
    "fc00",
    "7e00",
    "7bff",
    "7c00",
    "7c00",
  ]);
  assert.deepEqual(bits(2 ** -24, 2 ** -25, 2 ** -25 * 1.0001, 2 ** -14, 2 ** -14 - 2 ** -24), [
    "1",
    "0",
    "1",
    "400",
    "3ff",
  ]);
  assert.deepEqual(bits(2049, 2051, 2047.9999999, 1 + 2 ** -11, 1 + 2 ** -11 + 2 ** -30), [
    "6800",
    "6802",
    "6800",
    "3c00",
    "3c01",
  ]);
});

test("every half survives the way there and back", () => {
  const value = (half) => {
    const [exponent, fraction] = [(half >> 10) & 31, half & 1023];
    const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
  };
  const finite = Array.from({ length: 0x10000 }, (_, half) => half).filter((half) => ((half >> 10) & 31) < 31);
  assert.deepEqual([...numbers(finite.map(value), "f16", "upload", "data")], finite);
});

test("an array whose memory was transferred away is refused, an empty one is not", () => {
  assert.equal(
    refusal(() => contentsOf(detached(Float32Array.of(1)), "b")),
    "InvalidProgram detached: The memory of src was transferred away, so it has no contents.",
  );
  assert.match(
    refusal(() => viewOf(detached(new DataView(new ArrayBuffer(4))), "f32", "upload", "data")),
    /detached/,
  );
  assert.equal(viewOf(new Float32Array(0), "f32", "upload", "data").length, 0);
});

test("results come back in the array of their type, and an inout in the class it had", () => {
  const bytes = Uint32Array.of(0x3f800000, 0x40000000).buffer;
  assert.deepEqual(typedArray("f32", bytes), Float32Array.of(1, 2));
  assert.deepEqual(typedArray("vec2f", bytes), Float32Array.of(1, 2));
  assert.deepEqual(typedArray("f16", bytes), Uint16Array.of(0, 0x3f80, 0, 0x4000));
  assert.ok(sameView(new Uint8ClampedArray(8), bytes) instanceof Uint8ClampedArray);
  assert.ok(sameView(new DataView(bytes), bytes) instanceof DataView);
  assert.equal(Object.getPrototypeOf(sameView(Buffer.from([1, 2]), bytes)), Uint8Array.prototype);
});

test("out and inout check what they are given", () => {
  assert.deepEqual(out("f32", 3), { kind: "out", dtype: "f32", length: 3 });
  assert.match(
    refusal(() => out("f33", 3)),
    /the type of out\(\) must be one of/,
  );
  assert.match(
    refusal(() => out("f32", -1)),
    /the length of out\(\) must be a whole number, 0 or more, but is -1/,
  );
  assert.match(
    refusal(() => inout([1])),
    /the data of inout\(\) must be a typed array or a DataView/,
  );
});
