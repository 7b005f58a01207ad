// Where the package is used: workers of every kind, worklets, pages without a context, and objects of other realms.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { isFirefox, pages, pageTest } from "./harness.mjs";

const entry = "/node_modules/steadfast-gpu/dist/index.js";

/** A script that does a job and answers with what came of it. */
const job = (answer) => `
import { acquire, isAvailable } from "${entry}";
const done = (async () => {
  const available = await isAvailable();
  const gpu = await acquire();
  const doubled = [...(await gpu.elementwise("x * 2")([1, 2, 3]))];
  const failure = await gpu.kernel("bad", { label: "bad" }).ready.catch((error) => error.toJSON());
  await gpu.close();
  return { available, doubled, code: failure.code, reason: failure.reason };
})().catch((error) => ({ error: String(error) }));
${answer}
`;

const works = { available: true, doubled: [2, 4, 6], code: "KernelCompileFailed", reason: "wgsl" };

pages["/shared_worker.js"] = { body: job("onconnect = ({ ports: [port] }) => done.then((answer) => port.postMessage(answer));") };
pages["/service_worker.js"] = {
  body: job("onmessage = ({ source }) => done.then((answer) => source.postMessage(answer));"),
};
pages["/worklet.js"] = {
  body: `
import { acquire, isAvailable } from "${entry}";
class Probe extends AudioWorkletProcessor {
  constructor() {
    super();
    (async () => {
      const available = await isAvailable();
      const failure = await acquire().catch((error) => ({ ...error.toJSON(), isComputeError: error.name === "ComputeError", name: error.name }));
      this.port.postMessage({ available, failure });
    })().catch((error) => this.port.postMessage({ error: String(error) }));
  }
  process() {
    return true;
  }
}
registerProcessor("probe", Probe);
`,
};

pageTest("a shared worker computes, and says what is wrong", async ({ page }) => {
  const answer = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const worker = new SharedWorker("/shared_worker.js", { type: "module" });
        worker.onerror = () => reject(new Error("the worker did not load"));
        worker.port.onmessage = ({ data }) => resolve(data);
      }),
  );
  assert.deepEqual(answer, works);
});

pageTest("a service worker computes, and says what is wrong", async ({ page }) => {
  const answer = await page.evaluate(async () => {
    await navigator.serviceWorker.register("/service_worker.js", { type: "module" });
    const { active } = await navigator.serviceWorker.ready;
    return new Promise((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
      navigator.serviceWorker.startMessages();
      active.postMessage("do");
    });
  });
  // Firefox has none there, and that is what it must say.
  if (isFirefox) assert.match(answer.error, /navigator\.gpu is absent/);
  else assert.deepEqual(answer, works);
});

pageTest("an audio worklet has no WebGPU, and is told so", async ({ page }) => {
  const answer = await page.evaluate(async () => {
    const context = new OfflineAudioContext(1, 44_100, 44_100);
    await context.audioWorklet.addModule("/worklet.js");
    const node = new AudioWorkletNode(context, "probe");
    const answered = new Promise((resolve) => (node.port.onmessage = ({ data }) => resolve(data)));
    node.connect(context.destination);
    await context.startRendering();
    return answered;
  });
  assert.equal(answer.error, undefined);
  assert.equal(answer.available, false);
  assertFailure(answer.failure, [1002, "acquire", "webgpu-unavailable"]);
});

pageTest("a worker gets its losses and failures as a page does", { worker: true }, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const huge = await failureOf(gpu.buffer({ dtype: "f32", length: gpu.limits.maxBufferSize }, { label: "huge" }).ready);
    const buffer = gpu.buffer(Float32Array.of(1), { label: "data" });
    await doGoodJob(gpu);
    gpu.device.destroy();
    const lost = await failureOf(buffer.read());
    const next = await acquire();
    await doGoodJob(next);
    await next.close();
    return { huge, lost };
  });
  assertFailure(seen.huge, [1006, "upload", "limit-exceeded"], { context: { label: "huge" } });
  assertFailure(seen.lost, [1008, "read", "device-lost"], { context: { label: "data", generation: 1 } });
});

pageTest("an empty page and a data page have no WebGPU to find", { chromiumOnly: "Firefox gives a data page the WebGPU of its parent" }, async ({ page, run }) => {
  const seen = await run(async () => {
    const frame = document.createElement("iframe");
    frame.src = "data:text/html,<script>parent.postMessage({gpu:'gpu' in navigator,usage:typeof GPUBufferUsage,secure:isSecureContext},'*')</script>";
    const answered = new Promise((resolve) => addEventListener("message", ({ data }) => resolve(data), { once: true }));
    document.body.append(frame);
    return answered;
  });
  assert.deepEqual(seen, { gpu: false, usage: "undefined", secure: false });
});

pageTest("a failure crosses a worker as data and comes back as what it was", async ({ run }) => {
  const seen = await run(async ({ classify, ComputeError }) => {
    const error = classify(new GPUOutOfMemoryError("no"), { operation: "upload" });
    const { port1, port2 } = new MessageChannel();
    const arrived = new Promise((resolve) => (port2.onmessage = ({ data }) => resolve(data)));
    port1.postMessage(error.toJSON());
    const data = await arrived;
    port1.close();
    const revived = ComputeError.revive(data);
    return { is: revived instanceof ComputeError, same: classify(data).toJSON(), sent: error.toJSON() };
  });
  assert.ok(seen.is);
  assert.deepEqual(seen.same, seen.sent);
});

pageTest("a device of another realm is watched, and its errors are of the same codes", async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const frame = document.body.appendChild(document.createElement("iframe"));
    const device = await (await frame.contentWindow.navigator.gpu.requestAdapter()).requestDevice();
    const watched = watch(device, { label: "scene" });
    let isOurs;
    const failure = await failureOf(
      watched.guard(() => device.createBuffer({ size: 16, usage: 0 }), { operation: "upload" }).catch((error) => {
        isOurs = error.cause instanceof GPUValidationError;
        throw error;
      }),
    );
    const good = (await watched.guard(() => device.createBuffer({ size: 16, usage: 8 }))).size;
    device.destroy();
    const lost = (await watched.lost).toJSON();
    return { failure, isOurs, good, lost };
  });
  assert.equal(seen.isOurs, false, "instanceof would not have told");
  assertFailure(seen.failure, [1006, "upload", "validation"], { context: { label: "scene" } });
  assert.deepEqual([seen.good, seen.lost.stableId, seen.lost.reason], [16, 1008, "device-lost"]);
});
