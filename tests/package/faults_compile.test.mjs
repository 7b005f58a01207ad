// WGSL to a pipeline: what the browser refuses, what it cannot do, and what never ends.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { keepsRecovering, pageTest } from "./harness.mjs";
import { injecting } from "./injection.mjs";

const injected = { init: injecting };

pageTest("wrong WGSL of every kind is told with its line, and the calls on it with the same error", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const x = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n";
    const main = "@compute @workgroup_size(64)\nfn main(@builtin(global_invocation_id) i: vec3u) {\n";
    const sources = {
      syntax: `${x}${main}  x[i.x] = ;\n}`,
      type: `${x}${main}  x[i.x] = 1u;\n}`,
      unknown: `${x}${main}  x[i.x] = nowhere;\n}`,
      constant: `${x}${main}  const a = array(1, 2)[5];\n  x[i.x] = f32(a);\n}`,
      uniformity: `${x}${main}  if (x[i.x] > 0.0) {\n    workgroupBarrier();\n  }\n}`,
      "endless loop": `${x}${main}  loop { x[i.x] = 1.0; }\n}`,
      extension: `enable nonsense;\n${x}${main}  x[i.x] = 1.0;\n}`,
    };
    const seen = {};
    const data = gpu.buffer(Float32Array.of(1), { label: "data" });
    for (const [what, wgsl] of Object.entries(sources)) {
      const kernel = gpu.kernel(wgsl, { label: what });
      const dispatch = failureOf(kernel.dispatch({ x: data }, { workgroups: 1 }));
      seen[what] = { ready: await failureOf(kernel.ready), dispatch: await dispatch, lines: wgsl.split("\n") };
    }
    const kept = [...(await data.read())];
    await doGoodJob(gpu);
    await gpu.close();
    return { seen, kept };
  });
  const lines = { syntax: 4, type: 4, unknown: 4, constant: 4, uniformity: 5, "endless loop": 4, extension: 1 };
  for (const [what, line] of Object.entries(lines)) {
    const { ready, dispatch, lines: text } = seen.seen[what];
    assertFailure(ready, [1004, "compile", "wgsl"], { context: { label: what, line, snippet: text[line - 1] } });
    assert.ok(ready.context.column >= 1, what);
    assert.equal(dispatch.message, ready.message);
  }
  assert.deepEqual(seen.kept, [1]);
});

pageTest("a kernel without the entry point that was meant is refused with what it has", async ({ run }) => {
  const failures = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const two = "@compute @workgroup_size(1) fn a() {}\n@compute @workgroup_size(1) fn b() {}";
    const failures = {
      empty: await failureOf(gpu.kernel("", { label: "empty" }).ready),
      missing: await failureOf(gpu.kernel(two, { label: "missing", entryPoint: "nope" }).ready),
      ambiguous: await failureOf(gpu.kernel(two, { label: "ambiguous" }).ready),
    };
    const chosen = await failureOf(gpu.kernel(two, { entryPoint: "b" }).ready);
    await doGoodJob(gpu);
    await gpu.close();
    return { ...failures, chosen };
  });
  assertFailure(failures.empty, [1004, "compile", "entry-point"], { context: { label: "empty" } });
  assertFailure(failures.missing, [1004, "compile", "entry-point"], { context: { label: "missing", wanted: "nope" } });
  assertFailure(failures.ambiguous, [1004, "compile", "entry-point"], { context: { label: "ambiguous" } });
  assert.equal(failures.chosen, undefined);
});

pageTest("an extension that the device was not given is a missing feature", async ({ run }) => {
  const failures = await run(async ({ acquire }) => {
    const gpu = await acquire({ optionalFeatures: [] });
    const failures = {};
    for (const name of ["f16", "subgroups"]) {
      failures[name] = await failureOf(gpu.kernel(`enable ${name};\n@compute @workgroup_size(1) fn main() {}`, { label: name }).ready);
    }
    await doGoodJob(gpu);
    await gpu.close();
    return failures;
  });
  assertFailure(failures.f16, [1002, "compile", "feature-missing"], { context: { feature: "shader-f16" } });
  assertFailure(failures.subgroups, [1002, "compile", "feature-missing"], { context: { feature: "subgroups" } });
});

pageTest("a workgroup past the device's limits is refused with both numbers", async ({ run }) => {
  const { failures, limits } = await run(async ({ acquire }) => {
    const gpu = await acquire({ limits: "default" });
    const { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX, maxComputeWorkgroupStorageSize } = gpu.limits;
    const sources = {
      invocations: "@compute @workgroup_size(32, 32) fn main() {}",
      size: "@compute @workgroup_size(1024) fn main() {}",
      storage: "var<workgroup> big: array<u32, 16384>;\n@compute @workgroup_size(1) fn main() { big[0] = 1u; }",
    };
    const failures = {};
    for (const [what, wgsl] of Object.entries(sources)) failures[what] = await failureOf(gpu.kernel(wgsl, { label: what }).ready);
    await doGoodJob(gpu);
    await gpu.close();
    return { failures, limits: { maxComputeInvocationsPerWorkgroup, maxComputeWorkgroupSizeX, maxComputeWorkgroupStorageSize } };
  });
  const exceeded = (label, limit, requested) => [
    [1004, "compile", "limit-exceeded"],
    { context: { label, limit, requested, allowed: limits[limit] } },
  ];
  assertFailure(failures.invocations, ...exceeded("invocations", "maxComputeInvocationsPerWorkgroup", 1024));
  assertFailure(failures.size, ...exceeded("size", "maxComputeWorkgroupSizeX", 1024));
  // How many bytes workgroup memory takes is for the browser to say.
  assert.deepEqual([failures.storage?.stableId, failures.storage?.operation], [1004, "compile"]);
});

pageTest("override constants that are missing, unknown or out of range are refused by name", async ({ run }) => {
  const failures = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const wgsl = "override n: u32;\noverride f: f32 = 1.0;\n@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = n + u32(f); }";
    const tried = {
      missing: {}, unknown: { n: 1, m: 1 }, negative: { n: -1 }, fraction: { n: 1.5 }, large: { n: 2 ** 32 }, "not a number": { n: NaN }, infinite: { n: 1, f: Infinity },
    };
    const failures = {};
    for (const [what, constants] of Object.entries(tried)) {
      failures[what] = await failureOf(async () => gpu.kernel(wgsl, { label: "k", constants }).ready);
    }
    failures.good = await failureOf(gpu.kernel(wgsl, { constants: { n: 3 } }).ready);
    await doGoodJob(gpu);
    await gpu.close();
    return failures;
  });
  const { good, ...refused } = failures;
  assert.equal(good, undefined);
  const range = (name, got) => [[1004, "compile", "constant-range"], { context: { label: "k", name, got } }];
  assertFailures(refused, {
    missing: [[1004, "compile", "constant"], { context: { label: "k", name: "n" } }],
    unknown: [[1004, "compile", "constant"], { context: { label: "k", name: "m" } }],
    negative: range("n", -1),
    fraction: range("n", 1.5),
    large: range("n", 4294967296),
    "not a number": range("n", NaN),
    infinite: range("f", Infinity),
  });
});

pageTest("a kernel past the browser's code generator has no pipeline, and says so", async ({ run }) => {
  const failure = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const wgsl = `
      @group(0) @binding(0) var<storage, read_write> x: array<u32>;
      @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u) {
        var big: array<u32, 65535>;
        big[i.x] = x[i.x];
        x[0] = big[x[1]];
      }`;
    const failure = await failureOf(gpu.kernel(wgsl, { label: "big" }).ready);
    await doGoodJob(gpu);
    await gpu.close();
    return failure;
  });
  assertFailure(failure, [1004, "compile", "pipeline"], { context: { label: "big" } });
});

pageTest("an internal error at compile, from a scope or a rejection, is the kernel's", injected, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const wgsl = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1.0; }";
    const seen = {};
    const compiled = async (what, label) => {
      const kernel = gpu.kernel(wgsl, { label });
      const dispatch = failureOf(kernel.dispatch({ x: gpu.buffer(new Float32Array(1)) }, { workgroups: 1 }));
      seen[what] = await failureOf(kernel.ready);
      return dispatch;
    };
    const pipeline = (reason) => () => async () => Promise.reject(new GPUPipelineError("no", { reason }));
    for (const reason of ["internal", "validation"]) {
      const putBack = swap(GPUDevice.prototype, "createComputePipelineAsync", pipeline(reason));
      await compiled(`pipeline ${reason}`, "k");
      putBack();
    }
    let isFirst = true;
    const putBack = swap(GPUDevice.prototype, "createShaderModule", (original) => function (descriptor) {
      const device = this;
      const module = original.call(device, descriptor);
      if (isFirst) {
        isFirst = false;
        let pops = 0;
        const restore = swap(GPUDevice.prototype, "popErrorScope", (pop) => function () {
          const answer = pop.call(this);
          if (++pops === 3) restore();
          return pops === 1 ? answer.then(() => new GPUInternalError("the compiler crashed")) : answer;
        });
      }
      return module;
    });
    await compiled("scope", "k");
    putBack();
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  assertFailure(seen["pipeline internal"], [1004, "compile", "pipeline"], { context: { label: "k" } });
  assertFailure(seen["pipeline validation"], [1004, "compile", "pipeline"], { context: { label: "k" } });
  assertFailure(seen.scope, [1004, "compile", "internal"], { context: { label: "k" } });
});

pageTest("a GPU process that dies of a compile is a lost device for the kernel and its calls", { flags: keepsRecovering }, async ({ run, crashGpuProcess }) => {
  // It is killed while it compiles: what kills it by itself takes minutes.
  await run(async ({ acquire }) => {
    const gpu = await acquire();
    let wgsl = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n";
    wgsl += "@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {\n  let i = id.x;\n";
    for (let line = 0; line < 6000; line++) wgsl += "x[i]=x[i+1]*3u+1u;\n";
    const kernel = gpu.kernel(`${wgsl}}`, { label: "deadly" });
    const dispatch = kernel.dispatch({ x: gpu.buffer(new Uint32Array(4)) }, { workgroups: 1, label: "its call" });
    globalThis.failed = Promise.all([failureOf(kernel.ready), failureOf(dispatch)]);
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await crashGpuProcess();
  const [ready, dispatch] = await run(async ({ acquire }) => {
    const failures = await failed;
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    return failures;
  });
  assertFailure(ready, [1008, "compile", "device-lost"], { context: { label: "deadly", generation: 1 } });
  assertFailure(dispatch, [1008, dispatch.operation, "device-lost"], { context: { generation: 1 } });
});

pageTest("a compile that does not end is given up, and stalls nobody meanwhile", { flags: keepsRecovering }, async ({ run, crashGpuProcess }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    await doGoodJob(gpu);
    let wgsl = "fn g0(x: f32) -> f32 { return sin(x) * cos(x); }\n";
    for (let depth = 1; depth <= 16; depth++) {
      wgsl += `fn g${depth}(x: f32) -> f32 { return g${depth - 1}(x + 1.0) * g${depth - 1}(x * 3.0); }\n`;
    }
    wgsl += "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n";
    wgsl += "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] = g16(x[i.x]); }\n";
    const kernel = gpu.kernel(wgsl, { label: "slow", timeoutMs: 2000 });
    const x = gpu.buffer(new Float32Array(64));
    const dispatch = failureOf(kernel.dispatch({ x }));
    let isGivenUp = false;
    dispatch.then(() => (isGivenUp = true));
    await doGoodJob(gpu);
    const isStalled = isGivenUp;
    const ready = await failureOf(kernel.ready);
    const after = await failureOf(x.read());
    await doGoodJob(gpu);
    return { ready, dispatch: await dispatch, after, isStalled };
  });
  assertFailure(seen.ready, [1009, "compile", "timeout"], { context: { label: "slow", timeoutMs: 2000 } });
  assert.equal(seen.dispatch.message, seen.ready.message);
  assert.equal(seen.after, undefined, "a call made later sees what was there");
  assert.equal(seen.isStalled, false, "another job was done meanwhile");
  // What the browser still compiles would keep the machine busy.
  await crashGpuProcess();
});

pageTest("positions count as the browser counts them, and the source line is ours", async ({ run }) => {
  const failures = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const failures = [
      await failureOf(gpu.kernel("/* é😀 */ @compute @workgroup_size(1) fn main() { let a: u32 = 1.5; }", { label: "wide" }).ready),
      await failureOf(gpu.kernel("@compute @workgroup_size(1) fn main() {\n\0\n}", { label: "null" }).ready),
    ];
    await doGoodJob(gpu);
    await gpu.close();
    return failures;
  });
  assertFailure(failures[0], [1004, "compile", "wgsl"], { context: { label: "wide", line: 1 } });
  assert.match(failures[0].context.snippet, /^\/\* é😀 \*\//);
  // A source with a null character has an error without a position.
  assertFailure(failures[1], [1004, "compile", "validation"], { context: { label: "null" }, message: /illegal character/ });
  assert.equal("line" in failures[1].context, false);
});
