// Kernels that do not compile: what is wrong, and where, on `ready` and on every use.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";
import { slowKernel } from "./slow_kernel.mjs";

const fill = `
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
@compute @workgroup_size(1) fn fill(@builtin(global_invocation_id) id: vec3u) { y[id.x] = 7u; }`;

pageTest("bad WGSL names its line, its column and the source line, on ready and on every use", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const bad = gpu.kernel(`
@group(0) @binding(0) var<storage, read_write> y: array<f32>;
/* é😀 */ @compute @workgroup_size(1) fn main() {
  y[0] = 1.0 +  missing;
}`, { label: "mine" });
    const y = gpu.buffer({ dtype: "f32", length: 1 });
    const other = gpu.buffer({ dtype: "f32", length: 1 });
    const bound = bad.bind({ y });
    const calls = [
      bad.ready, bad.run({ y: out("f32", 1) }), bad.dispatch({ y }), bound.dispatch(),
      gpu.batch((batch) => (batch.write(y, Float32Array.of(1)), batch.dispatch(bad, { y: other }))),
    ];
    const results = await Promise.allSettled(calls);
    const errors = results.map(({ reason }) => reason);
    const later = await bad.run({ y }).catch((error) => error);
    const { name, message } = errors[0].cause;
    const seen = {
      failure: await failureOf(Promise.reject(errors[0])),
      isSame: [errors[1], errors[2], errors[3], later].every((error) => error === errors[0]),
      batch: [errors[4].reason, errors[4].context.index],
      cause: [errors[0].cause.constructor.name, name, message.length > 0],
      unlabelled: await failureOf(gpu.kernel("fn broken( {").ready),
    };
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  const { failure } = seen;
  assertFailure(failure, [1004, "compile", "wgsl"], {
    context: { label: "mine", line: 4, column: 17, length: 7, snippet: "  y[0] = 1.0 +  missing;" },
    fix: "Correct the WGSL at the line and column named.",
  });
  assert.equal(failure.message, `\`mine\` did not compile: line 4, column 17: ${failure.context.problem}`);
  assert.match(failure.context.problem, /missing/);
  assert.equal(seen.isSame, true);
  assert.deepEqual(seen.batch, ["wgsl", 1]);
  assert.deepEqual(seen.cause, ["GPUValidationError", undefined, true]);
  assertFailure(seen.unlabelled, [1004, "compile", "wgsl"], { context: { line: 1, snippet: "fn broken( {" } });
  assert.match(seen.unlabelled.message, /^`kernel 2` did not compile: line 1, column \d+: /);
});

pageTest("what else a kernel is refused for is said in its own words", { chromiumOnly: "it names SwiftShader's limits, and what its code generator refuses" }, async ({ run }) => {
  const seen = await run(async ({ acquire, out }, fill) => {
    const gpu = await acquire();
    const two = `${fill}\n@compute @workgroup_size(1) fn other() { y[0] = 8u; }`;
    const overrides = `
      override least: i32; @id(3) override on = true; override w: u32 = 4;
      @group(0) @binding(0) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(w) fn sized() { y[0] = u32(least) + u32(on); }`;
    const storage = (count) => `
      ${Array.from({ length: count }, (_, at) => `@group(0) @binding(${at}) var<storage, read_write> b${at}: array<u32>;`).join("\n")}
      @compute @workgroup_size(1) fn many() { ${Array.from({ length: count }, (_, at) => `b${at}[0] = 1u;`).join(" ")} }`;
    const sized = (attributes, body = "", declare = "") => `${declare}\n@compute @workgroup_size(${attributes}) fn sized() { ${body} }`;
    const { limits } = gpu;
    const bytes = limits.maxComputeWorkgroupStorageSize;
    const sources = {
      "no entry point": ["fn helper() {}"],
      "an empty source": [""],
      "two entry points": [two],
      "an unknown entry point": [two, { entryPoint: "third" }],
      "a constant without a value": [overrides],
      "an unknown constant": [overrides, { constants: { least: 1, most: 2 } }],
      "a constant out of range": [overrides, { constants: { least: 2 ** 31 } }],
      "a fraction for an integer": [overrides, { constants: { least: 0.5 } }],
      "a constant that is no number": [overrides, { constants: { least: NaN } }],
      "a workgroup past the limit": [sized(limits.maxComputeWorkgroupSizeX + 1)],
      "too many invocations": [sized("16, 16, 2")],
      "a workgroup of nothing": [sized("0")],
      "too much workgroup memory": [sized(1, "m[0] = 1u;", `var<workgroup> m: array<u32, ${bytes / 4 + 1}>;`)],
      "too many buffers": [storage(limits.maxStorageBuffersPerShaderStage + 1)],
      "a group past the limit": [`
        @group(${limits.maxBindGroups}) @binding(0) var<storage, read_write> far: array<u32>;
        @compute @workgroup_size(1) fn reach() { far[0] = 1u; }`],
      "a texture": [`
        @group(0) @binding(0) var image: texture_2d<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn sample() { y[0] = textureLoad(image, vec2u(0u), 0).x; }`],
      "more than the code generator holds": [sized(1, "var big: array<u32, 65535>; big[y[0]] = 1u; y[0] = big[y[1]];",
        "@group(0) @binding(0) var<storage, read_write> y: array<u32>;")],
      "f16 without the feature": [`enable f16; ${fill}`],
      "a source with NUL": [`${fill}\0`],
    };
    const failed = {};
    for (const [name, [wgsl, options]] of Object.entries(sources)) failed[name] = await failureOf(gpu.kernel(wgsl, options).ready);
    const thrown = {
      "no text": await failureOf(async () => gpu.kernel(undefined)),
      "an unknown option": await failureOf(async () => gpu.kernel(fill, { entrypoint: "fill" })),
      "a constant that is a text": await failureOf(async () => gpu.kernel(fill, { constants: { a: "1" } })),
      "no time": await failureOf(async () => gpu.kernel(fill, { timeoutMs: 0 })),
    };
    const { y } = await gpu.kernel(two, { entryPoint: "other" }).run({ y: out("u32", 1) });
    await doGoodJob(gpu);
    const has = gpu.features.has("shader-f16");
    await gpu.close();
    return { failed, thrown, y: y[0], bytes, has };
  }, fill);
  assert.equal(seen.y, 8);
  assert.equal(seen.has, false, "with shader-f16 these expectations do not hold");
  const of = (reason, context, message) => [[1004, "compile", reason], { context, message }];
  const limit = (limit, requested, allowed) => of("limit-exceeded", { limit, requested, allowed });
  assertFailures(seen.failed, {
    "no entry point": of("entry-point", { found: "none" },
      "`kernel 1` has no single compute entry point to run: it has none, wanted is exactly one, or a name."),
    "an empty source": of("entry-point", { found: "none" }),
    "two entry points": of("entry-point", { found: "fill, other" }),
    "an unknown entry point": of("entry-point", { found: "fill, other", wanted: "third" }),
    "a constant without a value": of("constant", { label: "sized", name: "least" },
      "`sized`: the constant `least` has neither a default nor a value."),
    "an unknown constant": of("constant", { name: "most" }),
    "a constant out of range": [[1004, "compile", seen.failed["a constant out of range"].reason], { context: { name: "least" } }],
    "a fraction for an integer": [[1004, "compile", seen.failed["a fraction for an integer"].reason], { context: { name: "least" } }],
    "a constant that is no number": [[1004, "compile", seen.failed["a constant that is no number"].reason], {}],
    "a workgroup past the limit": limit("maxComputeWorkgroupSizeX", 257, 256),
    "too many invocations": limit("maxComputeInvocationsPerWorkgroup", 512, 256),
    "a workgroup of nothing": of("wgsl", { line: 2 }),
    "too much workgroup memory": limit("maxComputeWorkgroupStorageSize", seen.bytes + 16, seen.bytes),
    "too many buffers": limit("maxStorageBuffersPerShaderStage", 11, 10),
    "a group past the limit": limit("maxBindGroups", 5, 4),
    "a texture": [[1006, "compile", "unsupported-binding"], { context: { name: "image", got: "texture_2d<f32>" } }],
    "more than the code generator holds": of("pipeline", { label: "sized" }),
    "f16 without the feature": [[1002, "compile", "feature-missing"], {
      context: { feature: "shader-f16" },
      message: "The feature `shader-f16` is not available on this device.",
    }],
    "a source with NUL": of("validation", { label: "kernel 19" }),
  });
  const invalid = [1006, "compile", "argument-invalid"];
  assertFailures(seen.thrown, {
    "no text": [invalid, { message: "wgsl must be a string, but is undefined." }],
    "an unknown option": [invalid, { context: { got: '"entrypoint"' } }],
    "a constant that is a text": [invalid, {}],
    "no time": [invalid, { context: { argument: "timeoutMs", got: "0" } }],
  });
});

pageTest("a kernel that nobody waits for fails with one event, and no stray rejection", async ({ run, expectConsole }) => {
  expectConsole(/ComputeError: `kernel 4` did not compile: line 1/);
  const seen = await run(async ({ acquire, ComputeError }) => {
    const gpu = await acquire();
    const events = [];
    const listen = (event) => {
      event.preventDefault();
      events.push(event.detail.error);
    };
    gpu.addEventListener("uncaptured", listen);
    const next = () => new Promise((resolve) => gpu.addEventListener("uncaptured", resolve, { once: true }));
    gpu.kernel("fn a( {");
    await next();
    gpu.kernel("fn b( {", { timeoutMs: 60_000 });
    await next();
    const used = gpu.kernel("@compute @workgroup_size(1) fn c() { missing(); }");
    void used.dispatch({}, { workgroups: 1 });
    void used.dispatch({}, { workgroups: 1 });
    await next();
    await failureOf(used.ready);
    gpu.removeEventListener("uncaptured", listen);
    gpu.kernel("fn d( {");
    await next();
    await doGoodJob(gpu);
    const seen = events.map((error) => [error instanceof ComputeError, error.reason]);
    await gpu.close();
    return seen;
  });
  assert.deepEqual(seen, new Array(3).fill([true, "wgsl"]));
});

pageTest("a compile past its timeoutMs fails the kernel and all its calls; others go on", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, [slow, fill]) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(slow, { label: "slow", timeoutMs: 60 });
    const y = gpu.buffer({ dtype: "u32", length: 1 });
    const calls = await Promise.allSettled([kernel.ready, kernel.run({ y: out("u32", 1) }), kernel.dispatch({ y })]);
    const failure = await failureOf(Promise.reject(calls[0].reason));
    const isSame = calls.every(({ reason }) => reason === calls[0].reason);
    const quick = gpu.kernel(fill, { timeoutMs: 60_000 });
    const filled = await quick.run({ y: out("u32", 2) });
    await doGoodJob(gpu);
    await gpu.close();
    return { failure, isSame, filled: [...filled.y] };
  }, [slowKernel(11), fill]);
  assertFailure(seen.failure, [1009, "compile", "timeout"], {
    context: { label: "slow", timeoutMs: 60 },
    message: "`slow` did not finish within 60 ms.",
  });
  assert.deepEqual([seen.isSame, seen.filled], [true, [7, 7]]);
});

pageTest("a slow compile holds back only the calls that share a buffer with it", { chromiumOnly: "Firefox does nothing else on the GPU while it compiles" }, async ({ run }) => {
  const seen = await run(async ({ acquire, out }, [slow, fill]) => {
    const gpu = await acquire();
    const quick = gpu.kernel(fill);
    await quick.ready;
    const shared = gpu.buffer({ dtype: "u32", length: 1 });
    const other = gpu.buffer({ dtype: "u32", length: 1 });
    await gpu.flush();
    const order = [];
    const note = (name) => (value) => (order.push(name), value);
    const kernel = gpu.kernel(slow);
    const done = [
      kernel.ready.then(note("compiled")),
      kernel.dispatch({ y: shared }).then(note("slow dispatch")),
      shared.read().then(note("shared read")),
      gpu.flush().then(note("flush")),
      quick.dispatch({ y: other }).then(note("other dispatch")),
      other.read().then(note("other read")),
      quick.run({ y: out("u32", 3) }).then(note("other run")),
    ];
    const [, , read, , , otherRead, { y }] = await Promise.all(done);
    await gpu.close();
    const before = order.slice(0, order.indexOf("compiled"));
    return { before: before.sort(), all: order.length, values: [read[0], otherRead[0], [...y]] };
  }, [slowKernel(11), fill]);
  assert.deepEqual(seen.before, ["other dispatch", "other read", "other run"]);
  assert.deepEqual([seen.all, seen.values[1], seen.values[2]], [7, 7, [7, 7, 7]]);
  assert.equal(seen.values[0], 2 ** 11 + 11 * 2 ** 10, "the slow kernel's own result");
});

pageTest("a destroyed kernel is refused; calls recorded before still run", async ({ run }) => {
  const seen = await run(async ({ acquire, out }, fill) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(fill);
    const recorded = kernel.run({ y: out("u32", 2) });
    const y = gpu.buffer({ dtype: "u32", length: 1 });
    const bound = kernel.bind({ y });
    void bound.dispatch();
    kernel.destroy();
    kernel.destroy();
    kernel[Symbol.dispose]();
    const failed = {
      ready: await failureOf(kernel.ready),
      run: await failureOf(kernel.run({ y: out("u32", 2) })),
      bind: await failureOf(async () => kernel.bind({ y })),
      bound: await failureOf(bound.dispatch()),
    };
    const seen = { failed, recorded: [...(await recorded).y], left: (await y.read())[0] };
    await gpu.close();
    return seen;
  }, fill);
  for (const failure of Object.values(seen.failed)) {
    assertFailure(failure, [1006, "dispatch", "destroyed"], { context: { label: "fill" } });
  }
  assert.deepEqual([seen.recorded, seen.left], [[7, 7], 7]);
});

pageTest("a hostile source is refused, and the wasm survives it", { chromiumOnly: "text nested this deep ends Firefox itself" }, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const many = 20_000;
    const sources = [
      "(".repeat(many), "/*".repeat(many), `const a = ${"(".repeat(many)}1${")".repeat(many)};`,
      `@group(0) @binding(0) var<storage> x: ${"array<".repeat(many)}u32${">".repeat(many)};`,
      `alias A = B; alias B = A; @group(0) @binding(0) var<storage, read_write> y: array<A>;
       @compute @workgroup_size(1) fn main() { y[0] = A(); }`,
      "const a = b; const b = a; @compute @workgroup_size(a) fn main() {}",
      "struct S { s: S } @group(0) @binding(0) var<storage> x: S; @compute @workgroup_size(1) fn main() { _ = x.s; }",
      "fn f() { f(); } @compute @workgroup_size(1) fn main() { f(); }",
      `@compute @workgroup_size(${"1+".repeat(many)}1) fn main() {}`,
      `@compute @workgroup_size(${"(".repeat(many)}1${")".repeat(many)}) fn main() {}`,
      `@compute @workgroup_size(${"-".repeat(many)}1) fn main() {}`,
      `const a0 = 1; ${Array.from({ length: 5000 }, (_, at) => `const a${at + 1} = a${at};`).join(" ")}
       @compute @workgroup_size(a5000) fn main() {}`,
      `struct S0 { a: u32 } ${Array.from({ length: 5000 }, (_, at) => `struct S${at + 1} { a: S${at} }`).join(" ")}
       @group(0) @binding(0) var<storage, read_write> x: S5000; @compute @workgroup_size(1) fn main() { _ = &x; }`,
      "\ud800", "@@@@", "}".repeat(many), "enable f16;".repeat(100), "\u{feff}fn", "@workgroup_size", "@compute",
    ];
    const ids = [];
    for (const source of sources) ids.push((await failureOf(gpu.kernel(source).ready))?.stableId);
    await doGoodJob(gpu);
    await gpu.close();
    return ids;
  });
  for (const id of seen) assert.ok([1002, 1004, 1006].includes(id), `${seen}`);
});
