// A device of somebody else, watched: classified, never touched.

import assert from "node:assert/strict";

import { isFirefox, pageTest } from "./harness.mjs";

pageTest("a guard gives the result of a good encode", async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const watched = watch(device, { label: "scene" });
    const buffer = await watched.guard(() => device.createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ }));
    await watched.guard(() => buffer.mapAsync(GPUMapMode.READ), { operation: "read" });
    const bytes = buffer.getMappedRange().byteLength;
    return { bytes, state: watched.state, handler: device.onuncapturederror };
  });
  assert.deepEqual(seen, { bytes: 16, state: "alive", handler: null });
});

pageTest("a guard rejects with the code of its operation, and the next one is clean", async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const watched = watch(device, { label: "scene" });
    const bad = () => device.createBuffer({ size: 16, usage: 0 });
    const seen = {};
    for (const operation of ["compile", "upload", "dispatch", "read"]) {
      seen[operation] = await failureOf(watched.guard(bad, { operation, label: `bad ${operation}` }));
    }
    seen.thrown = await failureOf(watched.guard(() => device.createBuffer({ size: NaN, usage: 8 }), { operation: "upload" }));
    const buffer = device.createBuffer({ size: 16, usage: GPUBufferUsage.STORAGE });
    // The browser reports this one twice, as rejection and in the scope: one error comes out.
    seen.map = await failureOf(watched.guard(() => buffer.mapAsync(GPUMapMode.READ), { operation: "read" }));
    seen.good = (await watched.guard(() => device.createBuffer({ size: 16, usage: 8 }))).size;
    return seen;
  });
  const judged = ({ isComputeError, code, reason, operation, context }) => [isComputeError, code, reason, operation, context.label];
  assert.deepEqual(judged(seen.compile), [true, "KernelCompileFailed", "validation", "compile", "bad compile"]);
  assert.deepEqual(judged(seen.upload), [true, "InvalidProgram", "validation", "upload", "bad upload"]);
  assert.deepEqual(judged(seen.dispatch), [true, "DispatchFailed", "validation", "dispatch", "bad dispatch"]);
  assert.deepEqual(judged(seen.read), [true, "DispatchFailed", "validation", "read", "bad read"]);
  assert.deepEqual(judged(seen.thrown), [true, "InvalidProgram", "validation", "upload", "scene"]);
  assert.deepEqual(judged(seen.map), [true, "DispatchFailed", "validation", "read", "scene"]);
  assert.equal(seen.good, 16);
});

pageTest("errors outside of scopes and the loss become events", async ({ run, expectConsole }) => {
  expectConsole(/uncaptured GPU error: GPUValidationError/);
  expectConsole(/Invalid buffer usage|usage/i);
  const seen = await run(async ({ watch }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const watched = watch(device, { label: "scene" });
    const errors = [];
    watched.addEventListener("error", ({ detail }) => errors.push([detail.error.code, detail.error.context.label]));
    const losses = [];
    watched.addEventListener("lost", ({ detail }) => losses.push(detail.error.code));
    device.createBuffer({ size: 16, usage: 0 });
    await device.queue.onSubmittedWorkDone();
    const late = failureOf(watched.guard(() => device.queue.onSubmittedWorkDone()));
    device.destroy();
    const lost = await watched.lost;
    const after = await failureOf(watched.guard(() => device.createBuffer({ size: 16, usage: 8 })));
    return { errors, losses, lost: lost.toJSON(), state: watched.state, late: (await late)?.code, after: after.code };
  });
  assert.deepEqual(seen.errors, [["DispatchFailed", "scene"]]);
  assert.deepEqual(seen.losses, ["DeviceLost"]);
  assert.equal(seen.lost.stableId, 1008);
  assert.equal(seen.lost.message, "The device was lost during dispatch of `scene`.");
  // To Firefox the work before the destroy() was done.
  assert.ok(seen.late === "DeviceLost" || isFirefox, seen.late);
  assert.deepEqual([seen.state, seen.after], ["lost", "DeviceLost"]);
});

pageTest("a watch ends with its signal, and refuses what is no device", async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const device = await (await navigator.gpu.requestAdapter()).requestDevice();
    const ended = new AbortController();
    const watched = watch(device, { signal: ended.signal });
    let events = 0;
    watched.addEventListener("lost", () => events++);
    ended.abort();
    device.destroy();
    await watched.lost;
    return { events, refused: await failureOf(() => watch({})), odd: await failureOf(() => watch(device, { nonsense: 1 })) };
  });
  assert.equal(seen.events, 0);
  assert.deepEqual([seen.refused.code, seen.refused.reason], ["InvalidProgram", "argument-invalid"]);
  assert.equal(seen.odd.reason, "argument-invalid");
});
