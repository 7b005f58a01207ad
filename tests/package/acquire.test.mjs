// Acquiring: limits, features, the memory budget, and options that are wrong.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { pageTest } from "./harness.mjs";

pageTest("the adapter's own limits are there by default, and less where less is asked for", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const adapter = await navigator.gpu.requestAdapter();
    const names = Object.getOwnPropertyNames(GPUSupportedLimits.prototype).filter((name) => name.startsWith("m"));
    const raised = await acquire();
    const plain = await acquire({ limits: "default" });
    const named = await acquire({ limits: { maxBufferSize: 300 << 20, maxStorageBufferBindingSize: undefined } });
    // Past WebGPU's own limit where the adapter has more.
    const length = Math.min(160 << 20, adapter.limits.maxStorageBufferBindingSize) / 4;
    const huge = raised.buffer({ dtype: "u32", length });
    await raised.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn last() { n[arrayLength(&n) - 1u] = 3u; }`).dispatch({ n: huge }, { workgroups: 1 });
    const seen = {
      differ: names.filter((name) => raised.limits[name] !== adapter.limits[name]),
      plain: [plain.limits.maxBufferSize, plain.limits.maxStorageBufferBindingSize],
      named: [named.limits.maxBufferSize, named.limits.maxStorageBufferBindingSize],
      last: [...(await huge.read({ start: length - 1 }))],
      frozen: Object.isFrozen(raised.limits),
    };
    await Promise.all([raised, plain, named].map((gpu) => doGoodJob(gpu)));
    await Promise.all([raised, plain, named].map((gpu) => gpu.close()));
    return seen;
  });
  assert.deepEqual(seen.differ, []);
  assert.deepEqual(seen.plain, [268_435_456, 134_217_728]);
  assert.deepEqual(seen.named, [300 << 20, 134_217_728]);
  assert.deepEqual([seen.last, seen.frozen], [[3], true]);
});

pageTest("buffers and bindings past the limits are refused by number, on ready and on every use", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire({ limits: "default" });
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> n: array<u32>;
      @compute @workgroup_size(1) fn main() { n[0] = 1u; }`);
    const past = gpu.buffer({ dtype: "u32", length: (256 << 18) + 1 }, { label: "past" });
    const wide = gpu.buffer({ dtype: "u32", length: (128 << 18) + 1 }, { label: "wide" });
    const failed = {
      ready: await failureOf(past.ready),
      read: await failureOf(past.read()),
      run: await failureOf(kernel.run({ n: past }, { workgroups: 1 })),
      binding: await failureOf(kernel.dispatch({ n: wide }, { workgroups: 1 })),
      output: await failureOf(kernel.run({ n: out("u32", (128 << 18) + 1) }, { workgroups: 1 })),
      "an output past every limit": await failureOf(kernel.run({ n: out("u32", 2 ** 40) }, { workgroups: 1 })),
    };
    await kernel.dispatch({ n: wide.subarray(0, 128 << 18) }, { workgroups: 1 });
    const value = (await wide.read({ end: 1 }))[0];
    await doGoodJob(gpu);
    await gpu.close();
    return { failed, value };
  });
  assert.equal(seen.value, 1);
  const limit = (operation, label, limit, requested, allowed) =>
    [[1006, operation, "limit-exceeded"], { context: { label, limit, requested, allowed } }];
  const past = limit("upload", "past", "maxBufferSize", (256 << 20) + 4, 256 << 20);
  assertFailures(seen.failed, {
    ready: past,
    read: past,
    run: limit("dispatch", "main:n", "maxStorageBufferBindingSize", (256 << 20) + 4, 128 << 20),
    binding: limit("dispatch", "main:n", "maxStorageBufferBindingSize", (128 << 20) + 4, 128 << 20),
    output: limit("dispatch", "main:n", "maxStorageBufferBindingSize", (128 << 20) + 4, 128 << 20),
    "an output past every limit": limit("upload", "main:n", "maxBufferSize", 2 ** 42, 256 << 20),
  });
  assert.equal(seen.failed.ready.message, "`past` asks for 268435460, but maxBufferSize allows 268435456.");
});

pageTest("features are taken where they are, and needed ones are there or refused", { chromiumOnly: "it needs subgroups, which Firefox has not" }, async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const adapter = await navigator.gpu.requestAdapter();
    const gpu = await acquire();
    const none = await acquire({ optionalFeatures: [] });
    const needed = await acquire({ features: ["subgroups", "timestamp-query"], optionalFeatures: ["no-such-feature"] });
    const { y } = await gpu.kernel(`enable subgroups;
      @group(0) @binding(0) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) { y[id.x] = subgroupMin(id.x); }`)
      .run({ y: out("u32", 4) });
    const seen = {
      has: ["timestamp-query", "shader-f16", "subgroups"].filter((name) => gpu.features.has(name) !== adapter.features.has(name)),
      none: ["timestamp-query", "subgroups"].some((name) => none.features.has(name)),
      needed: ["timestamp-query", "subgroups"].every((name) => needed.features.has(name)),
      min: y[0],
      failed: {
        enabled: await failureOf(none.kernel("enable subgroups;\n@compute @workgroup_size(1) fn main() {}").ready),
        missing: await failureOf(acquire({ features: ["subgroups", "time-travel"] })),
        limit: await failureOf(acquire({ limits: { maxComputeWorkgroupSizeX: 1 << 20 } })),
        unknown: await failureOf(acquire({ limits: { maxDreams: 1 } })),
        alignment: await failureOf(acquire({ limits: { minStorageBufferOffsetAlignment: 1 } })),
      },
    };
    await doGoodJob(gpu);
    await Promise.all([gpu, none, needed].map((each) => each.close()));
    return seen;
  });
  assert.deepEqual([seen.has, seen.none, seen.needed, seen.min], [[], false, true, 0]);
  const limit = (name, requested, allowed) =>
    [[1002, "acquire", "limit-exceeded"], { context: { limit: name, requested, ...(allowed && { allowed }) } }];
  assertFailures(seen.failed, {
    enabled: [[1002, "compile", "feature-missing"], { context: { feature: "subgroups" } }],
    missing: [[1002, "acquire", "feature-missing"], {
      context: { feature: "time-travel" },
      message: "The feature `time-travel` is not available on this device.",
    }],
    limit: limit("maxComputeWorkgroupSizeX", 1 << 20, 256),
    unknown: limit("maxDreams", 1),
    alignment: limit("minStorageBufferOffsetAlignment", 1, 256),
  });
});

pageTest("the memory budget holds for buffers, results and staging, and is given back", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire({ memoryBudgetBytes: 1 << 20 });
    const fill = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> y: array<u32>;
      @compute @workgroup_size(64) fn fill(@builtin(global_invocation_id) id: vec3u) {
        if (id.x < arrayLength(&y)) { y[id.x] = 7u; }
      }`);
    const half = gpu.buffer({ dtype: "u32", length: 1 << 17 }, { label: "half" });
    const over = gpu.buffer({ dtype: "u32", length: (1 << 17) + 1 }, { label: "over" });
    const failed = {
      buffer: await failureOf(over.ready),
      use: await failureOf(over.read()),
      output: await failureOf(fill.run({ y: out("u32", 1 << 18) })),
      array: await failureOf(gpu.elementwise("x")(new Float32Array(1 << 18))),
      staging: await failureOf(fill.run({ y: out("u32", 100_000) })),
    };
    half.destroy();
    over.destroy();
    const seen = { failed, mostly: gpu.memory().liveBytes <= 1 << 20 };
    const { y } = await fill.run({ y: out("u32", 60_000) });
    seen.fine = y.every((value) => value === 7);
    const again = gpu.buffer({ dtype: "u32", length: 1 << 18 });
    await again.ready;
    seen.peak = gpu.memory().peakBytes <= 1 << 20;
    again.destroy();
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  assert.deepEqual([seen.mostly, seen.fine, seen.peak], [true, true, true]);
  const budget = (operation, label) => [[1001, operation, "budget-exceeded"], { context: { label, allowed: 1 << 20 } }];
  assertFailures(seen.failed, {
    buffer: [[1001, "upload", "budget-exceeded"], {
      context: { label: "over", requested: (1 << 19) + 4, used: 1 << 19, allowed: 1 << 20 },
      message: "`over` needs 524292 bytes, but 524288 of the budget of 1048576 bytes are in use.",
    }],
    use: budget("upload", "over"),
    output: budget("upload", "fill"),
    array: budget("upload", "elementwise"),
    staging: budget("upload", "fill"),
  });
});

pageTest("options that are wrong are refused by name; a signal and a label work", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const options = {
      unknown: { powerPref: "low-power" },
      "power preference": { powerPreference: "most" },
      limits: { limits: "max" },
      "a limit": { limits: { maxBufferSize: -1 } },
      features: { features: "subgroups" },
      "a feature": { optionalFeatures: [1] },
      budget: { memoryBudgetBytes: "1" },
      timeout: { timeoutMs: 0 },
      strict: { strict: "yes" },
      signal: { signal: {} },
      wasm: { wasm: 5 },
      nothing: null,
    };
    const failed = {};
    for (const [name, option] of Object.entries(options)) failed[name] = await failureOf(acquire(option));
    const aborted = await acquire({ signal: AbortSignal.abort("no") }).catch((reason) => reason);
    const controller = new AbortController();
    const pending = acquire({ signal: controller.signal }).catch((reason) => reason);
    controller.abort("not now");
    const later = await pending;
    const gpu = await acquire({ label: "mine", powerPreference: "low-power" });
    const seen = { label: gpu.device.label, info: gpu.info, state: gpu.state, generation: gpu.generation };
    await doGoodJob(gpu);
    await gpu.close();
    return { failed, aborted, later, ...seen };
  });
  for (const failure of Object.values(seen.failed)) assertFailure(failure, [1006, "acquire", "argument-invalid"]);
  assert.equal(seen.failed["power preference"].message,
    'powerPreference must be "low-power" or "high-performance", but is "most".');
  assert.deepEqual([seen.aborted, seen.later, seen.label], ["no", "not now", "mine"]);
  assert.deepEqual([seen.state, seen.generation, seen.info.isFallbackAdapter], ["ready", 1, true]);
  assert.deepEqual(Object.keys(seen.info), ["vendor", "architecture", "description", "isFallbackAdapter"]);
});
