// Uniforms: numbers, vectors, matrices, arrays and structures, laid out by WGSL's rules; and what is refused.

import assert from "node:assert/strict";

import { assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

pageTest("a uniform takes a number, a list, a structure by field name, or bytes", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const seen = {};
    /** The uniform `u` of this type as floats, given in several ways. */
    const shown = async (name, { type, declare = "", parts, given }) => {
      const kernel = gpu.kernel(`
        ${declare}
        @group(0) @binding(0) var<uniform> u: ${type};
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn main() { ${parts.map((part, at) => `y[${at}] = f32(${part});`).join(" ")} }`);
      seen[name] = [];
      for (const u of given) {
        const { y } = await kernel.run({ u, y: out("f32", parts.length) }, { workgroups: 1 });
        seen[name].push([...y].join(" "));
      }
    };
    await shown("f32", { type: "f32", parts: ["u"], given: [1.5, [1.5], Float32Array.of(1.5), new DataView(Float32Array.of(1.5).buffer)] });
    await shown("i32", { type: "i32", parts: ["u"], given: [-7, Int32Array.of(-7)] });
    await shown("u32", { type: "u32", parts: ["u / 2u"], given: [4294967295] });
    await shown("vec3f", { type: "vec3f", parts: ["u.x", "u.y", "u.z"], given: [[1, 2, 3], Float32Array.of(1, 2, 3)] });
    await shown("mat3x2f", {
      type: "mat3x2<f32>", parts: ["u[0].x", "u[0].y", "u[2].y"], given: [[1, 2, 3, 4, 5, 6]],
    });
    await shown("mat3x3f", {
      type: "mat3x3f", parts: ["u[0].z", "u[1].x", "u[2].z"],
      given: [[1, 2, 3, 4, 5, 6, 7, 8, 9], Float32Array.of(1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0)],
    });
    await shown("array", { type: "array<vec4f, 2>", parts: ["u[0].w", "u[1].x"], given: [[[1, 2, 3, 4], [5, 6, 7, 8]]] });
    const declare = `
      struct Light { position: vec3f, power: f32, color: vec3<f32>, @align(32) kind: u32 }
      struct Scene { exposure: f32, lights: array<Light, 2>, view: mat2x2f, @size(32) offset: vec2i, last: f32 }`;
    const light = (at) => ({ position: [at, at + 1, at + 2], power: at + 3, color: [at + 4, at + 5, at + 6], kind: at + 7 });
    const scene = { exposure: 0.5, lights: [light(10), light(20)], view: [31, 32, 33, 34], offset: [-1, -2], last: 99 };
    const parts = [
      "u.exposure", "u.lights[0].position.z", "u.lights[0].power", "u.lights[0].color.y", "u.lights[0].kind",
      "u.lights[1].position.x", "u.lights[1].kind", "u.view[1].x", "u.offset.y", "u.last",
    ];
    const { last, ...rest } = scene;
    const indexed = { ...scene, lights: { 0: light(10), 1: light(20) }, view: Float32Array.of(31, 32, 33, 34) };
    await shown("struct", { type: "Scene", declare, parts, given: [scene, { last, ...rest }, Object.freeze(indexed)] });
    await gpu.close();
    return seen;
  });
  const scene = "0.5 12 13 15 17 20 27 33 -2 99";
  assert.deepEqual(seen, {
    f32: ["1.5", "1.5", "1.5", "1.5"],
    i32: ["-7", "-7"],
    u32: [String(Math.fround(2147483647))],
    vec3f: ["1 2 3", "1 2 3"],
    mat3x2f: ["1 2 6"],
    mat3x3f: ["3 4 9", "3 4 9"],
    array: ["4 5"],
    struct: [scene, scene, scene],
  });
});

pageTest("each of many calls in a flush sees its own uniforms", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const put = gpu.kernel(`
      @group(0) @binding(0) var<uniform> at: u32;
      @group(0) @binding(1) var<storage, read_write> y: array<u32>;
      @group(1) @binding(3) var<uniform> value: vec4u;
      @compute @workgroup_size(1) fn main() { y[at] = value.x + value.w; }`);
    const length = 1500;
    const y = gpu.buffer({ dtype: "u32", length });
    for (let at = 0; at < length; at++) void put.dispatch({ at, y, value: [at, 0, 0, 7] }, { workgroups: 1 });
    const first = await y.read();
    const again = put.bind({ at: 3, y, value: [50, 0, 0, 50] });
    for (let times = 0; times < 5; times++) void again.dispatch({ workgroups: 1 });
    const second = await y.read();
    const seen = { first: first.every((value, at) => value === at + 7), second: second[3], flushes: gpu.stats().flushes };
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, { first: true, second: 100, flushes: 2 });
});

pageTest("as many uniforms as the device takes can be bound, past its dynamic ones too", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const sums = [];
    for (const count of [1, gpu.limits.maxDynamicUniformBuffersPerPipelineLayout, gpu.limits.maxUniformBuffersPerShaderStage]) {
      const names = Array.from({ length: count }, (_, index) => `u${index}`);
      const kernel = gpu.kernel(`
        ${names.map((name, index) => `@group(${index % 3}) @binding(${index + 1}) var<uniform> ${name}: f32;`).join("\n")}
        @group(0) @binding(0) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn main() { y[0] = ${names.join(" + ")}; }`);
      for (const base of [1, 100]) {
        const args = Object.fromEntries(names.map((name, index) => [name, base * (index + 1)]));
        const { y } = await kernel.run({ ...args, y: out("f32", 1) });
        sums.push(y[0] === (base * count * (count + 1)) / 2);
      }
    }
    const largest = gpu.limits.maxUniformBufferBindingSize / 16;
    const big = gpu.kernel(`
      @group(0) @binding(0) var<uniform> u: array<vec4f, ${largest}>;
      @group(0) @binding(1) var<storage, read_write> y: array<f32>;
      @compute @workgroup_size(1) fn main() { y[0] = u[0].x + u[${largest - 1}].w; }`);
    const u = new Float32Array(largest * 4);
    u[0] = 3;
    u[u.length - 1] = 4;
    const results = await Promise.all([1, 2, 3].map(() => big.run({ u, y: out("f32", 1) })));
    sums.push(results.map(({ y }) => y[0]).join());
    await gpu.close();
    return sums;
  });
  assert.deepEqual(seen, [true, true, true, true, true, true, "7,7,7"]);
});

pageTest("a uniform that does not fit is refused where it does not", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      struct Inner { a: f32, b: vec2u }
      struct Params { n: u32, inner: array<Inner, 2>, v: vec3f }
      @group(0) @binding(0) var<uniform> p: Params;
      @group(0) @binding(1) var<uniform> v: vec2f;
      @group(0) @binding(2) var<storage, read_write> y: array<f32>;
      @compute @workgroup_size(1) fn main() { y[0] = f32(p.n) + v.x; }`);
    const inner = { a: 1, b: [1, 2] };
    const p = { n: 1, inner: [inner, inner], v: [1, 2, 3] };
    const v = [1, 2];
    const circle = { n: 1 };
    circle.inner = circle;
    const detached = new Uint8Array(64);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const given = {
      "a missing field": { p: { n: 1, v: [1, 2, 3] }, v },
      "an unknown field": { p: { ...p, m: 1 }, v },
      "a missing inner field": { p: { ...p, inner: [inner, { a: 1 }] }, v },
      "too few elements": { p: { ...p, inner: [inner] }, v },
      "a fraction": { p: { ...p, n: 1.5 }, v },
      "a negative number": { p: { ...p, inner: [inner, { a: 1, b: [1, -2] }] }, v },
      "too few numbers": { p: { ...p, v: [1, 2] }, v },
      "a number for a vector": { p, v: 1 },
      "a list for a structure": { p: [1, 2], v },
      "a number for a structure": { p: 1, v },
      "a text": { p: { ...p, n: "1" }, v },
      "a hole": { p: { ...p, v: [1, , 3] }, v },
      "a bigint": { p: { ...p, n: 1n }, v },
      "nothing": { p: { ...p, n: undefined }, v },
      "bytes of another length": { p, v: Float32Array.of(1, 2, 3) },
      "detached bytes": { p: detached, v },
      "a buffer": { p, v: gpu.buffer(Float32Array.of(1, 2)) },
      "out()": { p, v: out("f32", 2) },
      "inout()": { p, v: inout(Float32Array.of(1, 2)) },
      "a circle": { p: circle, v },
      "an object of a class": { p: new (class { n = 1; })(), v },
    };
    const failed = {};
    for (const [name, args] of Object.entries(given)) failed[name] = await failureOf(kernel.run({ ...args, y: out("f32", 1) }));
    const getter = { ...p, get n() { throw new RangeError("mine"); } };
    const mine = await kernel.run({ p: getter, v, y: out("f32", 1) }).catch((error) => error);
    const { y } = await kernel.run({ p, v, y: out("f32", 1) });
    await doGoodJob(gpu);
    await gpu.close();
    return { failed, y: y[0], mine: [mine.cause?.message, gpu.stats().errors[1003]] };
  });
  assert.equal(seen.y, 2);
  assert.deepEqual(seen.mine, ["mine", undefined], "what a getter throws is handed on, and poisons nothing");
  const of = (reason, context, message) => [[1006, "dispatch", reason], { context, message }];
  const invalid = (argument, got) => of("argument-invalid", got === undefined ? { argument } : { argument, got });
  assertFailures(seen.failed, {
    "a missing field": of("argument-invalid", { argument: "p.inner" }),
    "an unknown field": of("argument-invalid", { argument: "p.m", got: "not a field of Params" }),
    "a missing inner field": invalid("p.inner.1.b"),
    "too few elements": of("length-mismatch", { name: "p.inner" }),
    "a fraction": of("argument-invalid", { argument: "p.n", got: 1.5 },
      "p.n must be a whole number from 0 to 4294967295, but is 1.5."),
    "a negative number": of("argument-invalid", { got: -2 }),
    "too few numbers": of("length-mismatch", { name: "p.v" }),
    "a number for a vector": of("type-mismatch", { name: "v", got: "a number" }),
    "a list for a structure": of("type-mismatch", { name: "p", got: "a list of numbers" }),
    "a number for a structure": of("type-mismatch", { name: "p", got: "a number" }),
    "a text": invalid("`p.n`", '"1"'),
    "a hole": invalid("`p.v.1`", "undefined"),
    "a bigint": invalid("`p.n`", "1n"),
    nothing: invalid("`p.n`", "undefined"),
    "bytes of another length": of("length-mismatch", { name: "v", got: "12 bytes" }),
    "detached bytes": of("detached", {}),
    "a buffer": of("type-mismatch", { name: "v", got: "a buffer" }),
    "out()": of("type-mismatch", { name: "v" }),
    "inout()": of("type-mismatch", { name: "v" }),
    "a circle": invalid(/p(\.inner)+/.exec(seen.failed["a circle"].context.argument) && seen.failed["a circle"].context.argument),
    "an object of a class": invalid("`p`", "an object"),
  });
});
