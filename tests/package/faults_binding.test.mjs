// Binding: what is refused before encoding, and a buffer that went away.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

pageTest("bindings that are missing, unknown, empty, misaligned or of another type are refused by name", async ({ run }) => {
  const failures = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(
      `@group(0) @binding(0) var<storage, read> x: array<f32>;
       @group(0) @binding(1) var<storage, read_write> y: array<f32>;
       @group(0) @binding(2) var<uniform> n: u32;
       @compute @workgroup_size(1) fn main() { y[0] = x[n]; }`,
      { label: "k" },
    );
    const x = gpu.buffer(new Float32Array(256), { label: "x" });
    const y = gpu.buffer(new Float32Array(256), { label: "y" });
    const failures = {
      missing: await failureOf(kernel.dispatch({ x, y })),
      unknown: await failureOf(kernel.dispatch({ x, y, n: 0, z: y })),
      type: await failureOf(kernel.dispatch({ x: gpu.buffer(new Uint32Array(4)), y, n: 0 })),
      "not a number": await failureOf(kernel.dispatch({ x, y, n: "0" })),
      "not an object": await failureOf(kernel.dispatch({ x: {}, y, n: 0 })),
      nothing: await failureOf(kernel.dispatch({ x: null, y, n: 0 })),
      empty: await failureOf(kernel.dispatch({ x: new Float32Array(0), y, n: 0 }, { workgroups: 1 })),
      misaligned: await failureOf(() => x.subarray(3)),
      aliased: await failureOf(kernel.dispatch({ x, y: x, n: 0 })),
      nowhere: await failureOf(kernel.dispatch({ x, y: out("f32", 4), n: 0 })),
    };
    const good = await failureOf(kernel.dispatch({ x, y, n: 0 }));
    await doGoodJob(gpu);
    await gpu.close();
    return { ...failures, good };
  });
  const { good, ...refused } = failures;
  assert.equal(good, undefined);
  assertFailures(refused, {
    missing: [[1006, "dispatch", "binding-missing"], { context: { label: "k", name: "n" } }],
    unknown: [[1006, "dispatch", "binding-unknown"], { context: { label: "k", name: "z" } }],
    type: [[1006, "dispatch", "type-mismatch"], { context: { label: "k", name: "x" } }],
    "not a number": [[1006, "dispatch", "argument-invalid"], { context: { argument: "`n`" } }],
    "not an object": [[1006, "dispatch", "type-mismatch"], { context: { name: "x" } }],
    nothing: [[1006, "dispatch", "argument-invalid"], { context: { argument: "`x`" } }],
    empty: [[1006, "dispatch", "length-mismatch"], { context: { name: "x" } }],
    misaligned: [[1006, "upload", "misaligned"], { context: { alignment: 64 } }],
    aliased: [[1006, "dispatch", "aliased"], { context: { label: "k", name: "x", other: "y" } }],
    nowhere: [[1006, "dispatch", "nowhere-to-put"], { context: { label: "k", name: "y" } }],
  });
});

pageTest("a binding larger than the device allows is refused with both numbers", async ({ run }) => {
  const { failure, allowed } = await run(async ({ acquire }) => {
    const gpu = await acquire({ limits: "default" });
    const kernel = gpu.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1u; }",
      { label: "k" },
    );
    const large = gpu.buffer({ dtype: "u32", length: 50 << 20 }, { label: "200 MiB" });
    const failure = await failureOf(kernel.dispatch({ x: large }, { workgroups: 1 }));
    const allowed = gpu.limits.maxStorageBufferBindingSize;
    const part = await failureOf(kernel.dispatch({ x: large.subarray(0, 1 << 20) }, { workgroups: 1 }));
    if (part) throw new Error(part.text);
    await doGoodJob(gpu);
    await gpu.close();
    return { failure, allowed };
  });
  assertFailure(failure, [1006, "dispatch", "limit-exceeded"], {
    context: { limit: "maxStorageBufferBindingSize", requested: 200 << 20, allowed },
  });
});

pageTest("more storage buffers or groups than the device allows are refused at compile, with both numbers", async ({ run }) => {
  const { failures, limits } = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const storage = (count) => {
      const names = Array.from({ length: count }, (_, index) => `b${index}`);
      const declared = names.map((name, index) => `@group(0) @binding(${index}) var<storage, read_write> ${name}: array<u32>;`);
      return `${declared.join("\n")}\n@compute @workgroup_size(1) fn main() { ${names.map((name) => `${name}[0] = 1u;`).join(" ")} }`;
    };
    const { maxStorageBuffersPerShaderStage, maxBindGroups } = gpu.limits;
    const group = `@group(${maxBindGroups}) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1u; }`;
    const failures = {
      buffers: await failureOf(gpu.kernel(storage(maxStorageBuffersPerShaderStage + 1), { label: "many" }).ready),
      groups: await failureOf(gpu.kernel(group, { label: "far" }).ready),
      most: await failureOf(gpu.kernel(storage(maxStorageBuffersPerShaderStage)).ready),
    };
    await doGoodJob(gpu);
    await gpu.close();
    return { failures, limits: { maxStorageBuffersPerShaderStage, maxBindGroups } };
  });
  const exceeded = (label, limit) => [
    [1004, "compile", "limit-exceeded"],
    { context: { label, limit, requested: limits[limit] + 1, allowed: limits[limit] } },
  ];
  assertFailure(failures.buffers, ...exceeded("many", "maxStorageBuffersPerShaderStage"));
  assertFailure(failures.groups, ...exceeded("far", "maxBindGroups"));
  assert.equal(failures.most, undefined);
});

pageTest("a destroyed buffer is refused before encoding; behind our back it fails that call alone", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] += 1.0; }",
      { label: "add" },
    );
    const make = (label) => gpu.buffer(new Float32Array(4), { label });
    const known = make("known");
    const stolen = make("stolen");
    const others = [make("a"), make("b"), make("c")];
    const bound = kernel.bind({ x: stolen });
    await kernel.dispatch({ x: stolen });
    known.destroy();
    stolen.gpuBuffer.destroy();
    const calls = {
      known: failureOf(kernel.dispatch({ x: known }, { label: "first" })),
      a: failureOf(kernel.dispatch({ x: others[0] })),
      stolen: failureOf(kernel.dispatch({ x: stolen }, { label: "second" })),
      b: failureOf(kernel.dispatch({ x: others[1] })),
      bound: failureOf(bound.dispatch({ label: "third" })),
      c: failureOf(kernel.dispatch({ x: others[2] })),
    };
    const failures = {};
    for (const what in calls) failures[what] = await calls[what];
    const sums = await Promise.all(others.map(async (buffer) => [...(await buffer.read())].join()));
    await doGoodJob(gpu);
    await gpu.close();
    return { failures, sums };
  });
  assertFailure(seen.failures.known, [1006, "dispatch", "destroyed"], { context: { label: "known" } });
  assertFailure(seen.failures.stolen, [1005, "dispatch", "validation"], { context: { label: "second" } });
  // It would have worked on what the second left: the same error.
  assert.deepEqual(seen.failures.bound, seen.failures.stolen);
  for (const what of ["a", "b", "c"]) assert.equal(seen.failures[what], undefined);
  assert.deepEqual(seen.sums, ["1,1,1,1", "1,1,1,1", "1,1,1,1"], "each ran once");
});
