// Dispatching: what is refused before encoding, what only the browser notices, and what nobody can notice.

import assert from "node:assert/strict";

import { assertFailure, assertFailures } from "./failure.mjs";
import { isFirefox, pageTest } from "./harness.mjs";
import { injecting } from "./injection.mjs";

pageTest("a grid past the device's limit is refused with both numbers, or folded where the kernel can know", async ({ run }) => {
  const { failures, allowed, folded } = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const allowed = gpu.limits.maxComputeWorkgroupsPerDimension;
    const plain = gpu.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] = 1u; }",
      { label: "plain" },
    );
    const x = gpu.buffer({ dtype: "u32", length: 70_000 });
    const failures = {
      workgroups: await failureOf(plain.dispatch({ x }, { workgroups: allowed + 1 })),
      "in y": await failureOf(plain.dispatch({ x }, { workgroups: [1, allowed + 1] })),
      elements: await failureOf(plain.dispatch({ x })),
    };
    const strict = await acquire({ strict: true });
    const strictKernel = strict.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] = 1u; }",
      { label: "strict" },
    );
    const strictCounts = strict.buffer(Uint32Array.of(allowed + 1, 1, 1));
    failures.indirect = await failureOf(
      strictKernel.dispatch({ x: strict.buffer(new Uint32Array(4)) }, { indirect: { buffer: strictCounts } }),
    );
    const folding = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> x: array<u32>;
      @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) i: vec3u, @builtin(num_workgroups) n: vec3u) {
        let at = i.x + i.y * n.x;
        if (at < arrayLength(&x)) { x[at] = at; }
      }`);
    const { x: result } = await folding.run({ x: out("u32", 70_000) });
    await doGoodJob(gpu);
    await doGoodJob(strict);
    await gpu.close();
    await strict.close();
    return { failures, allowed, folded: result.every((value, index) => value === index) };
  });
  const limit = "maxComputeWorkgroupsPerDimension";
  assertFailures(failures, {
    workgroups: [[1006, "dispatch", "limit-exceeded"], { context: { label: "plain", limit, requested: allowed + 1, allowed } }],
    "in y": [[1006, "dispatch", "limit-exceeded"], { context: { label: "plain", limit, requested: allowed + 1, allowed } }],
    elements: [[1006, "dispatch", "grid-needs-folding"], { context: { label: "plain", requested: 70_000, allowed } }],
    indirect: [[1006, "dispatch", "limit-exceeded"], { context: { label: "strict", requested: allowed + 1, allowed } }],
  });
  assert.ok(folded);
});

pageTest("misuse of an encoder or a submit through a guard is DispatchFailed", async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const other = await (await navigator.gpu.requestAdapter()).requestDevice();
    const watched = watch(device, { label: "scene" });
    const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST | GPUBufferUsage.STORAGE;
    const buffer = () => device.createBuffer({ size: 64, usage });
    const module = device.createShaderModule({
      code: "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1u; }",
    });
    const pipelines = [0, 1].map(() => device.createComputePipeline({ layout: "auto", compute: { module } }));
    const groups = pipelines.map((pipeline) =>
      device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: buffer() } }] }),
    );
    const encoded = (encode) => () => {
      const encoder = device.createCommandEncoder();
      encode(encoder);
      device.queue.submit([encoder.finish()]);
    };
    const passed = (encode) =>
      encoded((encoder) => {
        const pass = encoder.beginComputePass();
        encode(pass);
        pass.end();
      });
    const [source, target, destroyed] = [buffer(), buffer(), buffer()];
    destroyed.destroy();
    const encodes = {
      "no pipeline": passed((pass) => pass.dispatchWorkgroups(1)),
      "no bind group": passed((pass) => (pass.setPipeline(pipelines[0]), pass.dispatchWorkgroups(1))),
      "pass left open": encoded((encoder) => encoder.beginComputePass()),
      "encoded after end": encoded((encoder) => {
        const pass = encoder.beginComputePass();
        pass.end();
        pass.dispatchWorkgroups(1);
      }),
      "unaligned copy": encoded((encoder) => encoder.copyBufferToBuffer(source, 1, target, 0, 4)),
      "group of another pipeline": passed((pass) => {
        pass.setPipeline(pipelines[0]);
        pass.setBindGroup(0, groups[1]);
        pass.dispatchWorkgroups(1);
      }),
      "too many workgroups": passed((pass) => {
        pass.setPipeline(pipelines[0]);
        pass.setBindGroup(0, groups[0]);
        pass.dispatchWorkgroups(65_536);
      }),
      "destroyed buffer": encoded((encoder) => encoder.copyBufferToBuffer(destroyed, 0, target, 0, 4)),
      "submitted twice": () => {
        const commands = device.createCommandEncoder().finish();
        device.queue.submit([commands]);
        device.queue.submit([commands]);
      },
      foreign: () => device.queue.submit([other.createCommandEncoder().finish()]),
      "not an object": () =>
        device.createBindGroup({ layout: pipelines[0].getBindGroupLayout(0), entries: [{ binding: 0, resource: {} }] }),
      "no feature": () => device.createQuerySet({ type: "timestamp", count: 2 }),
      "wrong layout": () =>
        device.createComputePipeline({
          layout: device.createPipelineLayout({
            bindGroupLayouts: [
              device.createBindGroupLayout({ entries: [{ binding: 0, visibility: 4, buffer: { type: "uniform" } }] }),
            ],
          }),
          compute: { module },
        }),
    };
    const failures = {};
    for (const [what, encode] of Object.entries(encodes)) {
      failures[what] = await failureOf(watched.guard(encode, { operation: what === "wrong layout" ? "compile" : "dispatch" }));
    }
    await watched.guard(encoded((encoder) => encoder.copyBufferToBuffer(source, 0, target, 0, 4)));
    return failures;
  });
  for (const [what, failure] of Object.entries(seen)) {
    const kind = what === "wrong layout" ? [1004, "compile", "validation"] : [1005, "dispatch", "validation"];
    // Firefox takes this one, and does nothing.
    if (isFirefox && what === "encoded after end") continue;
    assert.ok(failure, `${what}: nothing failed`);
    assert.deepEqual([what, failure.stableId, failure.operation, failure.reason], [what, ...[kind[0], kind[1], kind[2]]]);
    assertFailure(failure, kind, { context: { label: "scene" } });
  }
  assert.equal(Object.keys(seen).length, 13);
});

pageTest("concurrent guards never get each other's errors", async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const watched = watch(device);
    const guards = Array.from({ length: 60 }, (_, index) =>
      failureOf(watched.guard(() => device.createBuffer({ size: 16, usage: index % 7 === 3 ? 0 : 8 }), { label: `${index}`, operation: "upload" })),
    );
    // Two bad calls under one scope are one error: the first, and there may be more.
    guards.push(failureOf(watched.guard(() => [0, 0].map((usage) => device.createBuffer({ size: 16, usage })), { label: "two", operation: "upload" })));
    return (await Promise.all(guards)).map((failure) => failure && [failure.stableId, failure.context.label]);
  });
  const expected = Array.from({ length: 60 }, (_, index) => (index % 7 === 3 ? [1006, `${index}`] : undefined));
  assert.deepEqual(seen, [...expected, [1006, "two"]]);
});

pageTest("an idle error is heard at the next flush, each of many one by one", async ({ run, expectConsole }) => {
  expectConsole(/uncaptured GPU error: GPUValidationError/);
  expectConsole(/usage/i);
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    let heard = 0;
    gpu.addEventListener("uncaptured", (event) => (event.preventDefault(), heard++));
    for (let count = 0; count < 40; count++) gpu.device.createBuffer({ size: 16, usage: 0 });
    await gpu.flush();
    await doGoodJob(gpu);
    await gpu.close();
    return { heard };
  });
  // Firefox tells of the first alone.
  assert.equal(seen.heard, isFirefox ? 1 : 40);
});

pageTest("a kernel that writes out of bounds changes nothing outside of its buffer", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<u32>;\n@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] = i.x; }",
    );
    const neighbours = [0, 1, 2].map(() => gpu.buffer({ dtype: "u32", length: 256 }));
    await kernel.dispatch({ x: neighbours[1] }, { elements: 65_536 });
    const sums = [];
    for (const buffer of [neighbours[0], neighbours[2]]) sums.push((await buffer.read()).reduce((sum, value) => sum + value, 0));
    // What this package writes itself guards its bounds: the last element is not what a clamped write left there.
    const doubled = await gpu.elementwise("x * 2")(new Float32Array(257).fill(3));
    await gpu.close();
    return { sums, doubled: doubled.every((value) => value === 6) };
  });
  assert.deepEqual(seen, { sums: [0, 0], doubled: true });
});

pageTest("an exception out of a WebGPU call that never throws poisons the instance, and nothing hangs", { init: injecting }, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(Float32Array.of(1), { label: "data" });
    await gpu.flush();
    const putBack = swap(GPUQueue.prototype, "submit", (original) => function (commands) {
      if (commands.length) throw new TypeError("not a GPUCommandBuffer");
      return original.call(this, commands);
    });
    const failure = await failureOf(buffer.read());
    putBack();
    const later = await failureOf(buffer.read());
    const next = await acquire();
    await doGoodJob(next);
    await next.close();
    return { failure, later };
  });
  for (const failure of Object.values(seen)) assert.ok([1003, 1005].includes(failure?.stableId), failure?.text);
});

pageTest("timing without timestamps is told by the clock, and is no failure", async ({ run }) => {
  const sources = await run(async ({ acquire }) => {
    const sources = [];
    for (const optionalFeatures of [[], ["timestamp-query"]]) {
      const gpu = await acquire({ optionalFeatures });
      const kernel = gpu.kernel(
        "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1.0; }",
      );
      const { timing } = await kernel.dispatch({ x: gpu.buffer(new Float32Array(1)) }, { timing: true });
      sources.push([timing.source, timing.wallMs > 0]);
      await doGoodJob(gpu);
      await gpu.close();
    }
    return sources;
  });
  assert.deepEqual(sources[0], ["wall", true]);
  assert.equal(sources[1][1], true);
});

pageTest("a loop is not cut short: an adapter that does so would give wrong numbers without an error", { chromiumOnly: "Mesa's software adapter cuts loops at 65,535 rounds" }, async ({ run }) => {
  const count = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const kernel = gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> x: array<u32>;
      @compute @workgroup_size(1) fn main() { for (var i = 0u; i < 70000u; i++) { x[0] += 1u; } }`);
    const { x } = await kernel.run({ x: out("u32", 1) });
    await gpu.close();
    return x[0];
  });
  assert.equal(count, 70_000);
});
