// How much runs: from the first output, by elements, workgroups or indirect, folded or refused.

import assert from "node:assert/strict";

import { assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

/** Counts, for each element, how often an invocation came by; `n` folds the index. */
const foldable = `
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64)
fn foldable(@builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u) {
  let i = g.x + g.y * n.x * 64u + g.z * n.x * n.y * 64u;
  if (i < arrayLength(&y)) { y[i] += 1u; }
}`;
const plain = `
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(64) fn plain(@builtin(global_invocation_id) g: vec3u) {
  if (g.x < arrayLength(&y)) { y[g.x] += 1u; }
}`;
/** Counts invocations. */
const count = `
@group(0) @binding(0) var<storage, read_write> n: atomic<u32>;
@compute @workgroup_size(4) fn count() { atomicAdd(&n, 1u); }`;

pageTest("every element is met once, at the edges of a workgroup and past 65,535 of them", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, foldable) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(foldable);
    const met = {};
    for (const length of [0, 1, 63, 64, 65, 65_535 * 64, 65_535 * 64 + 1, 65_535 * 64 * 3 + 7]) {
      const { y } = await kernel.run({ y: out("u32", length) });
      met[length] = y.length === length && y.every((times) => times === 1);
    }
    await gpu.close();
    return met;
  }, foldable);
  assert.deepEqual(Object.values(seen), new Array(8).fill(true), JSON.stringify(seen));
});

pageTest("a kernel that cannot know of folding is refused past 65,535 workgroups", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, plain) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(plain);
    const most = 65_535 * 64;
    const { y } = await kernel.run({ y: out("u32", most) });
    const failed = {
      output: await failureOf(kernel.run({ y: out("u32", most + 1) })),
      elements: await failureOf(kernel.run({ y: out("u32", 1) }, { elements: most + 1 })),
      workgroups: await failureOf(kernel.run({ y: out("u32", 1) }, { workgroups: 65_536 })),
      "workgroups in z": await failureOf(kernel.run({ y: out("u32", 1) }, { workgroups: [1, 1, 70_000] })),
      buffer: await failureOf(kernel.dispatch({ y: gpu.buffer({ dtype: "u32", length: most + 1 }) })),
    };
    await doGoodJob(gpu);
    await gpu.close();
    return { whole: y.every((times) => times === 1), failed };
  }, plain);
  assert.equal(seen.whole, true);
  const folding = [1006, "dispatch", "grid-needs-folding"];
  const limit = [1006, "dispatch", "limit-exceeded"];
  assertFailures(seen.failed, {
    output: [folding, {
      context: { label: "plain", limit: "maxComputeWorkgroupsPerDimension", requested: 65_536, allowed: 65_535 },
      message: "`plain` needs 65536 workgroups in x, but maxComputeWorkgroupsPerDimension allows 65535, "
        + "and the kernel does not use num_workgroups.",
    }],
    elements: [folding, { context: { requested: 65_536 } }],
    workgroups: [limit, {
      context: { limit: "maxComputeWorkgroupsPerDimension", requested: 65_536, allowed: 65_535 },
      message: "`plain` asks for 65536, but maxComputeWorkgroupsPerDimension allows 65535.",
    }],
    "workgroups in z": [limit, { context: { requested: 70_000 } }],
    buffer: [folding, {}],
  });
  assert.match(seen.failed.output.fix, /@builtin\(num_workgroups\)/);
});

pageTest("the index idiom of the message covers every element", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, plain) => {
    const gpu = await acquire();
    const length = 65_535 * 64 + 1;
    const { fix } = await gpu.kernel(plain).run({ y: out("u32", length) }).catch((error) => error);
    const idiom = fix.match(/index with (.+?), then/)[1].replaceAll("WORKGROUP_SIZE_X", "64u").replaceAll("gid", "g");
    const { y } = await gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(64)
      fn idiom(@builtin(global_invocation_id) g: vec3u, @builtin(num_workgroups) n: vec3u) {
        let i = ${idiom};
        if (i < arrayLength(&y)) { y[i] += 1u; }
      }`).run({ y: out("u32", length) });
    await gpu.close();
    return { idiom, whole: y.length === length && y.every((times) => times === 1) };
  }, plain);
  assert.equal(seen.whole, true, seen.idiom);
});

pageTest("elements and workgroups run as many invocations as they say", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, count) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(count);
    const counted = {};
    const grids = [
      undefined, {}, { elements: 0 }, { elements: 1 }, { elements: 4 }, { elements: 5 }, { workgroups: 0 },
      { workgroups: 3 }, { workgroups: [3] }, { workgroups: [2, 3] }, { workgroups: [2, 3, 2] },
      { workgroups: [2, undefined, 5] }, { workgroups: [1, 0, 1] },
    ];
    for (const grid of grids) {
      const { n } = await kernel.run({ n: out("u32", 1) }, grid);
      counted[JSON.stringify(grid) ?? "default"] = n[0];
    }
    const flat = gpu.kernel(count.replace("@workgroup_size(4)", "@workgroup_size(2, 2, 2)"));
    counted.flat = (await flat.run({ n: out("u32", 1) }, { workgroups: [2, 1, 2] })).n[0];
    const failed = {
      "a flat workgroup": await failureOf(flat.run({ n: out("u32", 1) })),
      "elements of a flat workgroup": await failureOf(flat.run({ n: out("u32", 1) }, { elements: 8 })),
      "no output": await failureOf(gpu.kernel("@compute @workgroup_size(1) fn idle() {}").run({})),
      "two grids": await failureOf(kernel.run({ n: out("u32", 1) }, { elements: 1, workgroups: 1 })),
      "a fraction": await failureOf(kernel.run({ n: out("u32", 1) }, { elements: 1.5 })),
      "a negative count": await failureOf(kernel.run({ n: out("u32", 1) }, { workgroups: [1, -1] })),
      "four counts": await failureOf(kernel.run({ n: out("u32", 1) }, { workgroups: [1, 1, 1, 1] })),
      "past u32": await failureOf(kernel.run({ n: out("u32", 1) }, { elements: 2 ** 40 })),
    };
    await gpu.kernel("@compute @workgroup_size(1) fn idle() {}").run({}, { workgroups: 1 });
    await doGoodJob(gpu);
    await gpu.close();
    return { counted, failed };
  }, count);
  assert.deepEqual(seen.counted, {
    default: 4, "{}": 4, '{"elements":0}': 0, '{"elements":1}': 4, '{"elements":4}': 4, '{"elements":5}': 8,
    '{"workgroups":0}': 0, '{"workgroups":3}': 12, '{"workgroups":[3]}': 12, '{"workgroups":[2,3]}': 24,
    '{"workgroups":[2,3,2]}': 48, '{"workgroups":[2,null,5]}': 40, '{"workgroups":[1,0,1]}': 0, flat: 32,
  });
  const invalid = [1006, "dispatch", "argument-invalid"];
  assertFailures(seen.failed, {
    "a flat workgroup": [invalid, {
      message: "the grid must be given as workgroups, because the workgroup size has more than one dimension, "
        + "but is counted in elements.",
    }],
    "elements of a flat workgroup": [invalid, {}],
    "no output": [invalid, { context: { argument: "the grid" } }],
    "two grids": [invalid, { context: { got: "workgroups and elements" } }],
    "a fraction": [invalid, { context: { got: "1.5" } }],
    "a negative count": [invalid, { context: { got: "-1" } }],
    "four counts": [invalid, { context: { got: "an array of 4" } }],
    "past u32": [[1006, "dispatch", "grid-needs-folding"], {}],
  });
});

pageTest("the grid comes from the first output: of the arguments, else of the bindings", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      struct Head { count: u32, pad: u32, rest: array<vec2u> }
      @group(1) @binding(0) var<storage, read_write> n: atomic<u32>;
      @group(0) @binding(1) var<storage, read_write> a: array<u32>;
      @group(0) @binding(2) var<storage, read_write> b: Head;
      @compute @workgroup_size(1) fn main() { atomicAdd(&n, 1u); _ = a[0]; _ = b.count; }`);
    const buffer = (length) => gpu.buffer({ dtype: "u32", length });
    const n = buffer(1);
    const ran = async (args) => {
      n.fill(0);
      await kernel.run({ n, ...args });
      return (await n.read())[0];
    };
    const seen = [
      await ran({ a: buffer(5), b: buffer(8) }),
      await ran({ b: out("u32", 8), a: out("u32", 5) }),
      await ran({ a: out("u32", 5), b: out("u32", 8) }),
      await ran({ a: buffer(5), b: inout(new Uint32Array(8)) }),
    ];
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, [5, 3, 5, 3]);
});

pageTest("a zero-length output runs nothing; a zero-length binding with a grid is refused", async ({ run }) => {
  const seen = await run(async ({ acquire, out, inout }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read> x: array<f32>;
      @group(0) @binding(1) var<storage, read_write> y: array<f32>;
      @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = x[id.x]; }`);
    const none = new Float32Array(0);
    const empty = [
      await kernel.run({ x: none, y: out("f32", 0) }),
      await kernel.run({ x: [], y: inout(none) }),
      await kernel.run({ x: [1, 2], y: out("f32", 0) }),
      await kernel.run({ x: none, y: out("f32", 0) }, { elements: 0 }),
    ];
    const failed = {
      "an empty input": await failureOf(kernel.run({ x: none, y: out("f32", 2) })),
      "an explicit grid": await failureOf(kernel.run({ x: [1], y: out("f32", 0) }, { workgroups: 1 })),
    };
    await doGoodJob(gpu);
    await gpu.close();
    return { empty: empty.map(({ y }) => [y.constructor.name, y.length]), failed };
  });
  assert.deepEqual(seen.empty, new Array(4).fill(["Float32Array", 0]));
  const length = [1006, "dispatch", "length-mismatch"];
  assertFailures(seen.failed, {
    "an empty input": [length, {
      context: { name: "x" },
      message: "`x` of `main` must be at least one element long, because the grid is not empty, but is empty.",
    }],
    "an explicit grid": [length, { context: { name: "y" } }],
  });
});

pageTest("an indirect dispatch takes its counts from a buffer", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, count) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(count);
    const plan = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> counts: array<u32>;
      @compute @workgroup_size(1) fn plan() { counts[0] = 5u; counts[1] = 2u; counts[2] = 1u; }`);
    const counts = gpu.buffer({ dtype: "u32", data: [9, 3, 2, 1] }, { label: "counts" });
    const n = gpu.buffer({ dtype: "u32", length: 1 });
    const ran = async (buffer, offset) => {
      n.fill(0);
      kernel.dispatch({ n }, { indirect: { buffer, offset } });
      return (await n.read())[0];
    };
    const seen = { written: await ran(counts, 4) };
    plan.dispatch({ counts });
    seen.planned = await ran(counts);
    const part = gpu.buffer({ dtype: "u32", length: 128 });
    part.write([2, 2, 2], 64);
    seen.part = await ran(part.subarray(64));
    seen.failed = {
      "another type": await failureOf(kernel.dispatch({ n }, {
        indirect: { buffer: gpu.buffer({ dtype: "i32", length: 3 }) },
      })),
      "inside of a word": await failureOf(kernel.dispatch({ n }, { indirect: { buffer: counts, offset: 2 } })),
      "past the end": await failureOf(kernel.dispatch({ n }, { indirect: { buffer: counts, offset: 8 } })),
      "its own counts": await failureOf(plan.dispatch({ counts }, { indirect: { buffer: counts } })),
      "no buffer": await failureOf(kernel.dispatch({ n }, { indirect: {} })),
      "an unknown member": await failureOf(kernel.dispatch({ n }, { indirect: { buffer: counts, at: 0 } })),
    };
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  }, count);
  assert.deepEqual([seen.written, seen.planned, seen.part], [24, 40, 32]);
  const invalid = [1006, "dispatch", "argument-invalid"];
  assertFailures(seen.failed, {
    "another type": [invalid, { context: { got: "i32" } }],
    "inside of a word": [[1006, "dispatch", "misaligned"], { context: { got: 2, alignment: 4, nearest: 0 } }],
    "past the end": [[1006, "dispatch", "out-of-range"], { context: { got: 8 } }],
    "its own counts": [[1006, "dispatch", "aliased"], { context: { name: "counts", other: "indirect.buffer" } }],
    "no buffer": [invalid, { context: { argument: "the buffer of indirect" } }],
    "an unknown member": [invalid, { context: { got: '"at"' } }],
  });
});
