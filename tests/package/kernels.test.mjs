// Own WGSL of many shapes, bound by name, on arrays, buffers, out() and inout().

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

const square = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64) fn square(@builtin(global_invocation_id) id: vec3u) {
  if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] * x[id.x]; }
}`;

pageTest("run takes arrays, numbers and buffers, and gives a fresh array for each output", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }, square) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(square);
    const buffer = gpu.buffer(Float32Array.of(4, 5));
    const y = gpu.buffer({ dtype: "f32", length: 2 });
    const runs = {
      array: await kernel.run({ x: Float32Array.of(1, 2, 3), y: out("f32", 3) }),
      numbers: await kernel.run({ x: [1, 2, 3], y: out("f32", 3) }),
      buffers: await kernel.run({ x: buffer, y }),
      "other order": await kernel.run({ y: out("f32", 2), x: buffer }),
      "a spec by hand": await kernel.run({ x: [3], y: { kind: "out", dtype: "f32", length: 1 } }),
    };
    const mine = Float32Array.of(1, 2, 3);
    const result = await kernel.run({ x: [9, 9, 9], y: inout(mine) });
    const seen = {
      runs: Object.fromEntries(Object.entries(runs).map(([name, { y }]) => [name, y && [...y]])),
      keys: Object.keys(runs.array),
      info: runs.array.info,
      noOutputs: Object.keys(runs.buffers),
      left: [...(await y.read())],
      inout: [[...result.y], [...mine], result.y !== mine, result.y.constructor.name],
    };
    await gpu.close();
    return seen;
  }, square);
  assert.deepEqual(seen, {
    runs: {
      array: [1, 4, 9], numbers: [1, 4, 9], buffers: undefined,
      "other order": [16, 25], "a spec by hand": [9],
    },
    keys: ["y", "info"],
    info: { generation: 1, attempts: 1 },
    noOutputs: ["info"],
    left: [16, 25],
    inout: [[81, 81, 81], [1, 2, 3], true, "Float32Array"],
  });
});

pageTest("out() starts as zeros in every run, whatever the pool held", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const accumulate = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
        if (id.x < arrayLength(&y)) { y[id.x] += id.x + 1u; }
      }`);
    const wrong = [];
    for (let round = 0; round < 30; round++) {
      const lengths = [1, 63, 64, 65, 250, 1000, 16_384, 20_000];
      const outs = await Promise.all(lengths.map((length) => accumulate.run({ y: out("u32", length) })));
      outs.forEach(({ y }, index) => {
        if (y.length !== lengths[index] || !y.every((value, at) => value === at + 1)) wrong.push([round, lengths[index]]);
      });
    }
    const { pooledBytes } = gpu.memory();
    await gpu.close();
    return { wrong, reused: pooledBytes > 0 };
  });
  assert.deepEqual(seen, { wrong: [], reused: true });
});

pageTest("inout comes back in the class it went in, and only its part of a larger buffer", async ({ run }) => {
  const seen = await run(async ({ acquire, inout }) => {
    const gpu = await acquire();
    const add = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { n[id.x] += 0x01000001u; }`);
    const views = [
      Uint32Array.of(1, 2), new Uint8Array([1, 2, 3, 4]), new Uint8ClampedArray([1, 0, 0, 0]), new Int16Array([5, 6]),
      new BigUint64Array([1n]), new DataView(Uint32Array.of(7).buffer), new Uint32Array([9, 8, 7, 6]).subarray(1, 3),
    ];
    const seen = [];
    for (const view of views) {
      const { n } = await add.run({ n: inout(view) });
      seen.push([n.constructor.name, n.byteOffset, n.byteLength, [...new Uint32Array(n.buffer)]]);
    }
    await gpu.close();
    return seen;
  });
  const plus = 0x01000001;
  assert.deepEqual(seen, [
    ["Uint32Array", 0, 8, [plus + 1, plus + 2]],
    ["Uint8Array", 0, 4, [0x04030201 + plus]],
    ["Uint8ClampedArray", 0, 4, [1 + plus]],
    ["Int16Array", 0, 4, [0x00060005 + plus]],
    ["BigUint64Array", 0, 8, [1 + plus, plus]],
    ["DataView", 0, 4, [7 + plus]],
    ["Uint32Array", 0, 8, [8 + plus, 7 + plus]],
  ]);
});

pageTest("bindings are found in any group, with gaps, in any order, and laid out by reach", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      @binding(7) @group(3) var<storage, read_write> last: array<u32>;
      @group(1) @binding(2) var<uniform> scale: u32;
      @group(1) @binding(9) var<storage> first: array<u32>;
      @group(0) @binding(0) var<storage, read> unreached: array<u32>;
      @group(2) @binding(0) var<storage, read_write> alsoUnreached: array<f32>;
      fn helper(i: u32) -> u32 { return first[i] * scale; }
      fn never() { alsoUnreached[0] = f32(unreached[0]); }
      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
        if (id.x < arrayLength(&last)) { last[id.x] = helper(id.x); }
      }`);
    await kernel.ready;
    const first = Uint32Array.of(1, 2, 3);
    const without = await kernel.run({ first, scale: 3, last: out("u32", 3) });
    const given = await kernel.run({
      alsoUnreached: out("f32", 2), first, unreached: Uint32Array.of(5), scale: 2, last: out("u32", 3),
    });
    const seen = {
      names: kernel.bindings.map(({ name, group, binding, space, access, type }) =>
        [name, group, binding, space, access, type].join(" ")).sort(),
      size: kernel.workgroupSize,
      without: [...without.last],
      given: [[...given.last], [...given.alsoUnreached]],
    };
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, {
    names: [
      "alsoUnreached 2 0 storage read_write array<f32>",
      "first 1 9 storage read array<u32>",
      "last 3 7 storage read_write array<u32>",
      "scale 1 2 uniform read u32",
      "unreached 0 0 storage read array<u32>",
    ],
    size: [4, 1, 1],
    without: [3, 6, 9],
    given: [[2, 4, 6], [0, 0]],
  });
});

pageTest("an entry point is chosen by name, overrides by name or id", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const source = `
      override factor: f32;
      @id(7) override offset: i32 = 10;
      override flag: bool = false;
      override width = 2u;
      @group(0) @binding(0) var<storage, read_write> y: array<f32>;
      @compute @workgroup_size(width) fn scaled(@builtin(global_invocation_id) id: vec3u) {
        y[id.x] = select(factor, -factor, flag) + f32(offset);
      }
      @compute @workgroup_size(1) fn other(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 1; }`;
    const variants = [
      ["scaled", { factor: 0.5 }], ["scaled", { factor: 2, 7: -1, flag: true, width: 8 }], ["other", {}],
    ];
    const seen = [];
    for (const [entryPoint, constants] of variants) {
      const kernel = gpu.kernel(source, { entryPoint, constants });
      const { y } = await kernel.run({ y: out("f32", 3) });
      seen.push([[...y], kernel.workgroupSize[0]]);
    }
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, [[[10.5, 10.5, 10.5], 2], [[-3, -3, -3], 8], [[1, 1, 1], 1]]);
});

pageTest("groups, bindings and workgroup sizes may be constants of literals; what is harder is said to be", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      const GROUP = 1; const WIDTH: u32 = 1u << 2u;
      @group(GROUP) @binding(GROUP * 2 + 0x1) var<storage, read_write> y: array<u32, 2 * WIDTH>;
      @compute @workgroup_size(WIDTH * 2 - 1, (1)) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = id.x; }`);
    const { y } = await kernel.run({ y: out("u32", 8) }, { workgroups: 1 });
    const hard = await failureOf(gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(u32(cos(0.0) * 4.0)) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 1u; }`).ready);
    const { group, binding, type } = kernel.bindings[0];
    await doGoodJob(gpu);
    await gpu.close();
    return { binding: [group, binding, type], size: [...kernel.workgroupSize], y: [...y], hard };
  });
  assert.deepEqual(seen.binding, [1, 3, "array<u32, 8>"]);
  assert.deepEqual([seen.size, seen.y], [[7, 1, 1], [0, 1, 2, 3, 4, 5, 6, 0]]);
  assertFailure(seen.hard, [1006, "compile", "undecided"], {
    context: { line: 3 }, fix: "Write it as a literal or a module constant of literals.",
  });
});

pageTest("workgroup memory, atomics, structures and padded vectors work", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }) => {
    const gpu = await acquire();
    const sum = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> x: array<u32>;
      @group(0) @binding(1) var<storage, read_write> total: atomic<u32>;
      var<workgroup> part: array<u32, 64>;
      @compute @workgroup_size(64)
      fn main(@builtin(local_invocation_index) l: u32, @builtin(global_invocation_id) id: vec3u) {
        part[l] = select(0u, x[id.x], id.x < arrayLength(&x));
        workgroupBarrier();
        if (l == 0u) { var s = 0u; for (var i = 0u; i < 64u; i++) { s += part[i]; } atomicAdd(&total, s); }
      }`);
    const numbers = Uint32Array.from({ length: 1000 }, (_, index) => index);
    const { total } = await sum.run({ x: numbers, total: out("u32", 1) }, { elements: 1000 });

    const move = gpu.kernel(`
      struct Particle { position: vec3f, mass: f32, velocity: vec3f, tags: array<u32, 2> }
      struct World { count: u32, particles: array<Particle> }
      @group(0) @binding(0) var<storage, read_write> world: World;
      @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
        let p = &world.particles[id.x];
        (*p).position += (*p).velocity * (*p).mass;
        (*p).tags[1] = id.x + 1u;
        if (id.x == 0u) { world.count = arrayLength(&world.particles); }
      }`);
    const bytes = new ArrayBuffer(16 + 2 * 48);
    for (const at of [16, 64]) {
      new Float32Array(bytes, at, 8).set([1, 2, 3, 0.5, 2, 4, 6, 0]);
    }
    const { world } = await move.run({ world: inout(new DataView(bytes)) });
    const floats = new Float32Array(world.buffer);
    const words = new Uint32Array(world.buffer);

    const vectors = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> v: array<vec3f>;
      @group(0) @binding(1) var<storage, read_write> lengths: array<f32>;
      @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) { lengths[id.x] = length(v[id.x]); }`);
    const padded = Float32Array.of(3, 4, 0, NaN, 0, 0, 2, NaN);
    const { lengths } = await vectors.run({ v: padded, lengths: out("f32", 2) });
    await gpu.close();
    return {
      total: total[0],
      world: [words[0], [...floats.slice(4, 7)], words[12], words[24]],
      lengths: [...lengths],
    };
  });
  assert.deepEqual(seen, { total: 499_500, world: [2, [2, 4, 6], 1, 2], lengths: [5, 2] });
});

pageTest("typed data of every dtype can be bound", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const seen = {};
    const types = { f32: "f32", i32: "i32", u32: "u32", vec2f: "vec2f", vec4f: "vec4f" };
    for (const [dtype, type] of Object.entries(types)) {
      const kernel = gpu.kernel(`
        @group(0) @binding(0) var<storage, read> x: array<${type}>;
        @group(0) @binding(1) var<storage, read_write> y: array<${type}>;
        @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
          if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] + x[id.x]; }
        }`);
      const x = gpu.buffer({ dtype, data: [1, 2, 3, 4] });
      const { y } = await kernel.run({ x, y: out(dtype, x.length) });
      seen[dtype] = [y.constructor.name, ...y];
    }
    seen.f16 = gpu.features.has("shader-f16");
    await gpu.close();
    return seen;
  });
  const doubled = [2, 4, 6, 8];
  assert.deepEqual({ ...seen, f16: undefined }, {
    f32: ["Float32Array", ...doubled], i32: ["Int32Array", ...doubled], u32: ["Uint32Array", ...doubled],
    vec2f: ["Float32Array", ...doubled], vec4f: ["Float32Array", ...doubled], f16: undefined,
  });
});

pageTest("an argument that does not fit its binding is refused by name", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }, square) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(square);
    const pairs = gpu.kernel(`
      struct Pair { a: u32, b: f32 }
      @group(0) @binding(0) var<storage, read> p: array<Pair>;
      @group(0) @binding(1) var<storage, read> fixed: array<u32, 4>;
      @group(0) @binding(2) var<storage, read_write> info: array<u32>;
      @compute @workgroup_size(1) fn pairs() { info[0] = p[0].a + fixed[0]; }`);
    const named = gpu.kernel(`
      struct Pair { a: u32, b: f32 }
      @group(0) @binding(0) var<storage, read> p: array<Pair>;
      @group(0) @binding(1) var<storage, read> fixed: array<u32, 4>;
      @group(0) @binding(2) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(1) fn named() { y[0] = p[0].a + fixed[0]; }`);
    const x = Float32Array.of(1, 2);
    const y = out("f32", 2);
    const b = gpu.buffer({ dtype: "f32", length: 128 }, { label: "b" });
    const detached = new Float32Array(4);
    structuredClone(detached.buffer, { transfer: [detached.buffer] });
    const p = new Uint32Array(4);
    const fixed = new Uint32Array(4);
    const acts = {
      "no arguments": () => kernel.run(),
      missing: () => kernel.run({ x }),
      extra: () => kernel.run({ x, y, z: x }),
      "another type": () => kernel.run({ x: Int32Array.of(1, 2), y }),
      "a buffer of another type": () => kernel.run({ x: gpu.buffer({ dtype: "u32", length: 2 }), y }),
      "an output of another type": () => kernel.run({ x, y: out("u32", 2) }),
      "a number for storage": () => kernel.run({ x: 1, y }),
      "a structure for storage": () => kernel.run({ x: { a: 1 }, y }),
      "bytes for floats": () => kernel.run({ x: new Uint8Array(8), y }),
      "odd bytes": () => named.run({ p: new Uint8Array(6), fixed, y: out("u32", 1) }),
      "numbers that are none": () => kernel.run({ x: [1, "2"], y }),
      undefined: () => kernel.run({ x: undefined, y }),
      detached: () => kernel.run({ x: detached, y }),
      "out() for what is only read": () => kernel.run({ x: out("f32", 2), y }),
      "inout() for what is only read": () => kernel.run({ x: inout(x), y }),
      "the same buffer read and written": () => kernel.run({ x: b, y: b }),
      "overlapping parts": () => kernel.run({ x: b.subarray(0, 100), y: b.subarray(64) }),
      "numbers for a structure": () => named.run({ p: [1, 2], fixed, y: out("u32", 1) }),
      "not whole elements": () => named.run({ p: new Uint32Array(3), fixed, y: out("u32", 1) }),
      "too short": () => named.run({ p, fixed: new Uint32Array(3), y: out("u32", 1) }),
      "the name info": () => pairs.run({ p, fixed, info: out("u32", 1) }),
      "an unknown option": () => kernel.run({ x, y }, { elemnts: 2 }),
      "out() in dispatch": () => kernel.dispatch({ x: b, y }),
      "inout() in dispatch": () => kernel.dispatch({ x: b, y: inout(x) }),
      "an array that dispatch would write": () => kernel.dispatch({ x: b, y: x }),
      "out() in bind": async () => kernel.bind({ x: b, y }),
      "out() in batch": () => gpu.batch((batch) => batch.dispatch(kernel, { x: b, y })),
      "out() of a negative length": async () => out("f32", -1),
      "inout() of numbers": async () => inout([1]),
    };
    const failed = {};
    for (const [name, act] of Object.entries(acts)) failed[name] = await failureOf(act);
    await doGoodJob(gpu);
    await gpu.close();
    return failed;
  }, square);
  const of = (reason, context, message) => [[1006, "dispatch", reason], { context, message }];
  assertFailures(seen, {
    "no arguments": of("argument-invalid", { argument: "args" }),
    missing: of("binding-missing", { label: "square", name: "y" }, "`square` needs `y`, which the call does not give."),
    extra: of("binding-unknown", { name: "z", known: "x, y" },
      "`square` declares no binding named `z`; it has x, y."),
    "another type": of("type-mismatch", { name: "x", expected: "array<f32>", got: "i32 data" },
      "`x` of `square` is array<f32> in the WGSL, but the argument is i32 data."),
    "a buffer of another type": of("type-mismatch", { name: "x", got: "u32 data" }),
    "an output of another type": of("type-mismatch", { name: "y", got: "u32 data" }),
    "a number for storage": of("type-mismatch", { name: "x", got: "a number" }),
    "a structure for storage": of("type-mismatch", { name: "x", got: "an object" }),
    "bytes for floats": of("type-mismatch", { name: "x", got: "u32 data" }),
    "odd bytes": of("length-mismatch", { name: "p", got: "6 bytes" }),
    "numbers that are none": of("argument-invalid", { argument: "`x`[1]", got: '"2"' }),
    undefined: of("argument-invalid", { argument: "`x`", got: "undefined" }),
    detached: of("detached", { argument: "`x`" }),
    "out() for what is only read": of("type-mismatch", { name: "x", got: "an out()" }),
    "inout() for what is only read": of("type-mismatch", { name: "x", got: "an inout()" }),
    "the same buffer read and written": of("aliased", { label: "square", name: "x", other: "y" },
      "`x` and `y` of `square` are in the same buffer, and one of them is written."),
    "overlapping parts": of("aliased", {}),
    "numbers for a structure": of("argument-invalid", { argument: "`p`", got: "an array of 2" }),
    "not whole elements": of("length-mismatch", { name: "p", got: "12 bytes" }),
    "too short": of("length-mismatch", { name: "fixed", got: "12 bytes" }),
    "the name info": of("name-reserved", { name: "info" }),
    "an unknown option": of("argument-invalid", { got: '"elemnts"' }),
    "out() in dispatch": of("nowhere-to-put", { name: "y", got: "an out()" },
      "`y` of `square` is an out(), and this call has nowhere to put its result."),
    "inout() in dispatch": of("nowhere-to-put", { got: "an inout()" }),
    "an array that dispatch would write": of("nowhere-to-put", { got: "an array" }),
    "out() in bind": of("nowhere-to-put", {}),
    "out() in batch": of("nowhere-to-put", { index: 0 }),
    "out() of a negative length": of("argument-invalid", {}),
    "inout() of numbers": of("argument-invalid", { got: "an array of 1" }),
  });
});
