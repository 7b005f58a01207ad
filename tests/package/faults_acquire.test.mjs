// Acquiring: what the browser, the adapter and a dying GPU process can answer.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { keepsRecovering, pageTest } from "./harness.mjs";
import { injecting } from "./injection.mjs";

const recovers = { flags: keepsRecovering };
const injected = { init: injecting };

pageTest("a crash while adapters are asked for is survived, or told as what it is", recovers, async ({ run, crashGpuProcess }) => {
  for (let round = 0; round < 3; round++) {
    const asked = run(async ({ acquire }) => {
      const tries = [];
      for (let n = 0; n < 10; n++) {
        tries.push(acquire().then(async (gpu) => ({ failure: await failureOf(doGoodJob(gpu)), gpu }), (error) => ({ failure: error.toJSON() })));
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const ended = await Promise.all(tries);
      const again = await acquire();
      await doGoodJob(again);
      for (const { gpu } of ended) await gpu?.close();
      await again.close();
      return ended.map(({ failure }) => failure && [failure.code, failure.reason, failure.operation]);
    });
    await crashGpuProcess();
    for (const failure of await asked) {
      if (failure) assert.deepEqual(failure.slice(0, 2), ["DeviceLost", "device-lost"]);
    }
  }
});

pageTest("no adapter after a loss is a lost device and not a missing feature", async ({ page, run, crashGpuProcess, expectConsole }) => {
  expectConsole(/Failed to create WebGPU Context Provider/);
  await run(async ({ acquire }) => {
    globalThis.gpu = await acquire();
    globalThis.lost = new Promise((resolve) => gpu.addEventListener("lost", resolve));
  });
  await crashGpuProcess();
  await run(async ({ acquire }) => {
    await lost;
    globalThis.gpu = await acquire();
    await doGoodJob(gpu);
    globalThis.lost = new Promise((resolve) => gpu.addEventListener("lost", resolve));
  });
  await crashGpuProcess();
  // A second death within two minutes: this page gets no adapter for the rest of them.
  const { failure, available } = await run(async ({ acquire, isAvailable }) => {
    await lost;
    return { failure: await failureOf(acquire), available: await isAvailable() };
  });
  assertFailure(failure, [1008, "acquire", "recovery-failed"], { context: { attempts: 2 } });
  const { retryAfterMs } = failure.context;
  assert.ok(retryAfterMs > 90_000 && retryAfterMs <= 120_000, `${retryAfterMs} ms`);
  assert.equal(available, false);
  // A page that was loaded anew is not held to it.
  await page.reload();
  await run(async ({ acquire }) => {
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
  });
});

const keepsOrigin = { flags: ["--disable-domain-blocking-for-3d-apis"] };

pageTest("no adapter in the whole browser after too many crashes is the same loss", keepsOrigin, async ({ run, crashGpuProcess, expectConsole }) => {
  expectConsole(/Failed to create WebGPU Context Provider/);
  let failure;
  for (let crashes = 0; crashes < 5 && !failure; crashes++) {
    failure = await run(async ({ acquire }) => {
      await globalThis.lost;
      const failure = await failureOf(acquire().then(async (gpu) => {
        globalThis.lost = new Promise((resolve) => gpu.addEventListener("lost", resolve));
        await doGoodJob(gpu);
      }));
      return failure ?? null;
    });
    if (!failure) await crashGpuProcess();
  }
  assertFailure(failure, [1008, "acquire", "recovery-failed"], { context: { attempts: 2 } });
});

pageTest("an adapter that went stale in a crash is replaced", { ...recovers, ...injected }, async ({ run, crashGpuProcess }) => {
  await run(async ({ acquire }) => {
    globalThis.stale = await navigator.gpu.requestAdapter();
    globalThis.old = await (await navigator.gpu.requestAdapter()).requestDevice();
  });
  await crashGpuProcess();
  const refused = await run(async ({ acquire }) => {
    await old.lost;
    const refused = await stale.requestDevice().catch((error) => error.name);
    let asked = 0;
    const putBack = swap(GPU.prototype, "requestAdapter", (original) => function () {
      return asked++ ? original.call(this) : Promise.resolve(stale);
    });
    const gpu = await acquire();
    putBack();
    await doGoodJob(gpu);
    await gpu.close();
    return refused;
  });
  assert.equal(refused, "OperationError");
});

pageTest("a device that is lost when it arrives is not handed out", injected, async ({ run }) => {
  const failure = await run(async ({ acquire }) => {
    const putBack = swap(GPUAdapter.prototype, "requestDevice", (original) => async function (...args) {
      const device = await original.apply(this, args);
      device.destroy();
      await device.lost;
      return device;
    });
    const failure = await failureOf(acquire);
    putBack();
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return failure;
  });
  assertFailure(failure, [1008, "acquire", "device-lost"]);
});

pageTest("an adapter request that never settles ends in a timeout, for this caller alone", { ...injected, chromiumOnly: "it sets the page's clock" }, async ({ page, run }) => {
  await page.clock.install();
  await run(async ({ acquire }) => {
    globalThis.putBack = swap(GPU.prototype, "requestAdapter", () => () => new Promise(() => {}));
    globalThis.failed = failureOf(acquire({ label: "slow" }));
  });
  await page.clock.runFor(31_000);
  await page.clock.resume();
  const failure = await run(async ({ acquire }) => {
    const failure = await failed;
    putBack();
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return failure;
  });
  assertFailure(failure, [1009, "acquire", "timeout"], { context: { label: "slow", timeoutMs: 30_000 } });
});

pageTest("a frozen GPU process while acquiring is no verdict: it works once it wakes", async ({ run, signalGpuProcess }) => {
  await run(async ({ acquire }) => (await acquire()).close());
  await signalGpuProcess("SIGSTOP");
  let first;
  try {
    first = await run(async ({ acquire }) => {
      const stop = new AbortController();
      const aborted = acquire({ signal: stop.signal }).catch((reason) => reason);
      globalThis.later = acquire();
      setTimeout(() => stop.abort("not any more"), 100);
      return aborted;
    });
  } finally {
    await signalGpuProcess("SIGCONT");
  }
  assert.equal(first, "not any more");
  await run(async () => {
    const gpu = await later;
    await doGoodJob(gpu);
    await gpu.close();
  });
});

pageTest("an adapter request that is refused is unknown, with the browser's own reason", injected, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const refusals = {
      rejected: () => Promise.reject(new TypeError("no such preference")),
      thrown: () => {
        throw new DOMException("not now", "OperationError");
      },
    };
    const seen = {};
    for (const [how, refuse] of Object.entries(refusals)) {
      const putBack = swap(GPU.prototype, "requestAdapter", () => refuse);
      let cause;
      const failure = await failureOf(acquire().catch((error) => {
        cause = error.cause?.message;
        throw error;
      }));
      putBack();
      seen[how] = { failure, cause };
    }
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  assertFailure(seen.rejected.failure, [1999, "acquire", "unclassified"]);
  assert.equal(seen.rejected.cause, "no such preference");
  assertFailure(seen.thrown.failure, [1999, "acquire", "unclassified"]);
  assert.equal(seen.thrown.cause, "not now");
});

pageTest("a required feature that the adapter lacks is named", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const adapter = await navigator.gpu.requestAdapter();
    const lacking = ["texture-compression-astc", "texture-compression-bc", "shader-f16", "bgra8unorm-storage"].find((name) => !adapter.features.has(name));
    const seen = { lacking, failures: {} };
    for (const feature of [lacking, "no-such-feature"]) seen.failures[feature] = await failureOf(acquire({ features: [feature] }));
    const gpu = await acquire({ optionalFeatures: [lacking ?? "no-such-feature", "no-such-feature"] });
    await doGoodJob(gpu);
    seen.has = gpu.features.has("no-such-feature");
    await gpu.close();
    return seen;
  });
  for (const feature of [seen.lacking, "no-such-feature"].filter(Boolean)) {
    assertFailure(seen.failures[feature], [1002, "acquire", "feature-missing"], { context: { feature } });
  }
  assert.equal(seen.has, false);
});

pageTest("a feature that a device comes without is missing, not dropped", injected, async ({ run }) => {
  const failure = await run(async ({ acquire }) => {
    const putBack = swap(GPUAdapter.prototype, "requestDevice", (original) => function (descriptor) {
      return original.call(this, { ...descriptor, requiredFeatures: [] });
    });
    const failure = await failureOf(acquire({ features: ["timestamp-query"] }));
    putBack();
    // Only where the adapter has it: wgpu has no name for it.
    const features = [...(await navigator.gpu.requestAdapter()).features].filter((name) => name === "subgroups");
    const gpu = await acquire({ features: ["timestamp-query", ...features] });
    await doGoodJob(gpu);
    if (!features.every((name) => gpu.features.has(name))) throw new Error("subgroups were asked for and not given");
    await gpu.close();
    return failure;
  });
  assertFailure(failure, [1002, "acquire", "feature-missing"], { context: { feature: "timestamp-query" } });
});

pageTest("a limit above the adapter's is refused by name and number", async ({ run }) => {
  const { failure, has, unknown } = await run(async ({ acquire }) => {
    const has = (await navigator.gpu.requestAdapter()).limits.maxComputeWorkgroupSizeX;
    const failure = await failureOf(acquire({ limits: { maxComputeWorkgroupSizeX: 1 << 20 } }));
    const unknown = await failureOf(acquire({ limits: { maxNonsense: 1 } }));
    const gpu = await acquire({ limits: { maxComputeWorkgroupSizeX: has } });
    await doGoodJob(gpu);
    await gpu.close();
    return { failure, has, unknown };
  });
  assertFailure(failure, [1002, "acquire", "limit-exceeded"], {
    context: { limit: "maxComputeWorkgroupSizeX", requested: 1 << 20, allowed: has },
  });
  assert.ok(unknown.isComputeError);
  assert.equal(unknown.operation, "acquire");
});

pageTest("limits are the adapter's own unless less is asked for", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const { limits } = await navigator.gpu.requestAdapter();
    const useful = await acquire();
    const plain = await acquire({ limits: "default" });
    const name = "maxStorageBufferBindingSize";
    const seen = { adapter: limits[name], useful: useful.limits[name], plain: plain.limits[name] };
    const large = await failureOf(useful.buffer({ dtype: "f32", length: 40 << 20 }).ready);
    await doGoodJob(plain);
    await useful.close();
    await plain.close();
    return { ...seen, large };
  });
  assert.equal(seen.useful, seen.adapter);
  assert.equal(seen.plain, 128 << 20);
  assert.equal(seen.large, undefined);
});

pageTest("a software adapter is no failure, and says what it is", async ({ run }) => {
  const info = await run(async ({ acquire }) => {
    const gpu = await acquire();
    await doGoodJob(gpu);
    const { info } = gpu;
    await gpu.close();
    return info;
  });
  assert.equal(info.isFallbackAdapter, true);
});

pageTest("many at once each get a device of their own", async ({ run }) => {
  const count = await run(async ({ acquire }) => {
    const gpus = await Promise.all(Array.from({ length: 8 }, () => acquire()));
    await Promise.all(gpus.map((gpu) => doGoodJob(gpu)));
    const devices = new Set(gpus.map((gpu) => gpu.device));
    await Promise.all(gpus.map((gpu) => gpu.close()));
    return devices.size;
  });
  assert.equal(count, 8);
});

pageTest("a device request that is refused is told by what the browser threw", injected, async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const refusals = {
      type: () => Promise.reject(new TypeError("unknown name")),
      operation: () => Promise.reject(new DOMException("consumed", "OperationError")),
      thrown: () => {
        throw new TypeError("no");
      },
      unknown: () => Promise.reject(report("GPUNovelError", "something new")),
      string: () => Promise.reject("just words"),
      nothing: () => Promise.reject(undefined),
    };
    const seen = {};
    for (const [how, refuse] of Object.entries(refusals)) {
      const putBack = swap(GPUAdapter.prototype, "requestDevice", () => refuse);
      seen[how] = await failureOf(acquire);
      putBack();
    }
    const gpu = await acquire();
    await doGoodJob(gpu);
    await gpu.close();
    return seen;
  });
  assertFailure(seen.type, [1002, "acquire", "feature-missing"]);
  assertFailure(seen.operation, [1999, "acquire", "unclassified"]);
  assertFailure(seen.thrown, [1002, "acquire", "feature-missing"]);
  for (const how of ["unknown", "string", "nothing"]) assertFailure(seen[how], [1999, "acquire", "unclassified"]);
  assert.match(seen.string.message, /just words/);
});

pageTest("an adapter that vanishes between calls is asked for anew each time", injected, async ({ run, expectConsole }) => {
  const seen = await run(async ({ acquire, isAvailable }) => {
    const first = await acquire();
    await doGoodJob(first);
    const putBack = swap(GPU.prototype, "requestAdapter", () => async () => null);
    const failure = await failureOf(acquire);
    const gone = await isAvailable();
    // The device at hand does not need its adapter.
    await doGoodJob(first);
    putBack();
    const back = await isAvailable();
    const second = await acquire();
    await doGoodJob(second);
    await first.close();
    await second.close();
    return { failure, gone, back };
  });
  assertFailure(seen.failure, [1002, "acquire", "adapter-unavailable"]);
  assert.deepEqual([seen.gone, seen.back], [false, true]);
});
