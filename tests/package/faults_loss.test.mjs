// The device goes away: the GPU process dies, somebody destroys the device, or nothing answers any more.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { isFirefox, keepsRecovering, pageTest } from "./harness.mjs";

const recovers = { flags: keepsRecovering };

/** What is under way when the GPU process dies, and what its promise must say. Each ends only with the process. */
const underWay = {
  compiling: {
    operation: "compile",
    label: "slow to compile",
    start: (gpu) => {
      let body = "fn f0(x: f32) -> f32 { return sin(x) * cos(x); }\n";
      for (let depth = 1; depth <= 15; depth++) {
        body += `fn f${depth}(x: f32) -> f32 { return f${depth - 1}(x + 1.0) * f${depth - 1}(x * 3.0); }\n`;
      }
      body += "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n";
      body += "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) { x[i.x] = f15(x[i.x]); }\n";
      return gpu.kernel(body, { label: "slow to compile" }).ready;
    },
  },
  uploading: {
    operation: "upload",
    label: "large",
    start: (gpu) => {
      const data = new Float32Array(1 << 24).fill(1);
      for (let n = 0; n < 7; n++) gpu.buffer(data, { label: "large" }).ready.catch(() => {});
      return gpu.buffer(data, { label: "large" }).ready;
    },
  },
  dispatching: {
    operation: "dispatch",
    label: "endless",
    start: (gpu) => endless(gpu).dispatch({ flag: gpu.buffer(new Uint32Array(2)) }, { workgroups: 1, timing: true, label: "endless" }),
  },
  reading: {
    operation: "read",
    label: "flags",
    start: (gpu) => {
      const flag = gpu.buffer(new Uint32Array(2), { label: "flags" });
      endless(gpu).dispatch({ flag }, { workgroups: 1 }).catch(() => {});
      return flag.read();
    },
  },
};

/** For `init`: a kernel that never ends. */
function endlessKernel() {
  globalThis.endless = (gpu) =>
    gpu.kernel(`
      @group(0) @binding(0) var<storage, read_write> flag: array<atomic<u32>, 2>;
      @compute @workgroup_size(1) fn main() { while (atomicLoad(&flag[0]) == 0u) { atomicAdd(&flag[1], 1u); } }
    `);
}

for (const [what, { operation, label, start }] of Object.entries(underWay)) {
  pageTest(`the GPU process dies while ${what}`, { ...recovers, init: endlessKernel }, async ({ run, crashGpuProcess }) => {
    await run(
      async ({ acquire }, start) => {
        globalThis.gpu = await acquire();
        globalThis.failed = failureOf(eval(start)(gpu));
        // The browser has the work: a flush would tell if it did not come that far.
        await new Promise((resolve) => setTimeout(resolve, 100));
      },
      String(start),
    );
    await crashGpuProcess();
    const { failure, state, after, losses } = await run(async ({ acquire }) => {
      const failure = await failed;
      const after = await failureOf(gpu.elementwise("x + 1")([1]));
      const other = await acquire();
      await doGoodJob(other);
      await other.close();
      return { failure, state: gpu.state, after, losses: gpu.stats().losses };
    });
    assertFailure(failure, [1008, operation, "device-lost"], { context: { label, generation: 1 } });
    assertFailure(after, [1008, after.operation, "device-lost"]);
    assert.deepEqual({ state, losses }, { state: "failed", losses: 1 });
  });
}

pageTest("the GPU process dies while idle: every later operation says so", recovers, async ({ run, crashGpuProcess }) => {
  await run(async ({ acquire }) => {
    globalThis.gpu = await acquire();
    globalThis.losses = [];
    globalThis.lost = new Promise((resolve) => gpu.addEventListener("lost", (event) => resolve(event)));
    gpu.addEventListener("lost", ({ detail }) => losses.push(detail.error.toJSON()));
    globalThis.buffer = gpu.buffer(new Float32Array(4), { label: "old" });
    globalThis.kernel = gpu.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1.0; }",
      { label: "old kernel" },
    );
    globalThis.bound = kernel.bind({ x: buffer });
    await kernel.dispatch({ x: buffer }, { workgroups: 1 });
  });
  await crashGpuProcess();
  const seen = await run(async ({ acquire, out }) => {
    await lost;
    const failures = {
      buffer: await failureOf(gpu.buffer(new Float32Array(4), { label: "new" }).ready),
      kernel: await failureOf(gpu.kernel("@compute @workgroup_size(1) fn main() {}", { label: "new kernel" }).ready),
      dispatch: await failureOf(kernel.dispatch({ x: buffer }, { workgroups: 1 })),
      bound: await failureOf(bound.dispatch({ workgroups: 1 })),
      run: await failureOf(kernel.run({ x: out("f32", 4) })),
      read: await failureOf(buffer.read()),
      readInto: await failureOf(buffer.readInto(new Float32Array(4))),
      batch: await failureOf(gpu.batch((b) => b.read(buffer))),
      flush: await failureOf(gpu.flush()),
      copy: await failureOf(() => {
        const copy = gpu.buffer({ dtype: "f32", length: 4 });
        buffer.copyTo(copy);
        return copy.read();
      }),
    };
    buffer.write([1]);
    buffer.fill(0);
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    await gpu.close();
    return { failures, losses };
  });
  const expected = {
    buffer: "upload", kernel: "compile", dispatch: "dispatch", bound: "dispatch", run: "dispatch",
    read: "read", readInto: "read", batch: "dispatch", flush: "dispatch", copy: "read",
  };
  // Firefox lets these succeed until it tells of the loss; what brings data back waits that long.
  const early = isFirefox ? ["buffer", "compile", "dispatch"] : [];
  for (const [what, operation] of Object.entries(expected)) {
    if (early.includes(what) && !seen.failures[what]) continue;
    assertFailure(seen.failures[what], [1008, operation, "device-lost"], { context: { generation: 1 } });
  }
  assert.equal(seen.losses.length, 1, "the loss is told once");
  assert.equal(seen.losses[0].stableId, 1008);
});

pageTest("the GPU process killed by the system is the same loss", recovers, async ({ run, signalGpuProcess }) => {
  await run(async ({ acquire }) => {
    globalThis.gpu = await acquire();
    globalThis.buffer = gpu.buffer(new Float32Array(4), { label: "data" });
    await gpu.flush();
    globalThis.lost = new Promise((resolve) => gpu.addEventListener("lost", resolve, { once: true }));
  });
  await signalGpuProcess("SIGKILL");
  const failure = await run(async ({ acquire }) => {
    await lost;
    const failure = await failureOf(buffer.read());
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    return failure;
  });
  assertFailure(failure, [1008, "read", "device-lost"], { context: { label: "data", generation: 1 } });
});

pageTest("a device destroyed by somebody else is lost, whatever the browser resolves", async ({ run }) => {
  const seen = await run(async ({ acquire, out }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(new Float32Array(4), { label: "data" });
    const kernel = gpu.kernel(
      "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1.0; }",
      { label: "one" },
    );
    await kernel.ready;
    await gpu.flush();
    // Every one of these would succeed as far as scopes, pipelines and work-done promises tell.
    const started = {
      buffer: failureOf(gpu.buffer(new Float32Array(4), { label: "fresh" }).ready),
      compile: failureOf(gpu.kernel("@compute @workgroup_size(1) fn main() {}", { label: "late" }).ready),
      dispatch: failureOf(kernel.dispatch({ x: buffer }, { workgroups: 1 })),
      finished: failureOf(kernel.dispatch({ x: buffer }, { workgroups: 1, timing: true })),
      run: failureOf(kernel.run({ x: out("f32", 4) })),
      read: failureOf(buffer.read()),
      flush: failureOf(gpu.flush()),
    };
    gpu.device.destroy();
    const failures = {};
    for (const [what, failed] of Object.entries(started)) failures[what] = await failed;
    const state = gpu.state;
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    return { failures, state };
  });
  const expected = {
    buffer: "upload", compile: "compile", dispatch: "dispatch", finished: "dispatch", run: "dispatch", read: "read", flush: "dispatch",
  };
  // Firefox lets these succeed until it tells of the loss; what brings data back waits that long.
  const early = isFirefox ? ["buffer", "compile", "dispatch"] : [];
  for (const [what, operation] of Object.entries(expected)) {
    if (early.includes(what) && !seen.failures[what]) continue;
    assertFailure(seen.failures[what], [1008, operation, "device-lost"], { context: { generation: 1 } });
  }
  assert.equal(seen.state, "failed");
});

pageTest("closing is no loss: no event, and later calls are refused as closed", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const gpu = await acquire();
    const buffer = gpu.buffer(Float32Array.of(1, 2), { label: "data" });
    let losses = 0;
    gpu.addEventListener("lost", () => losses++);
    const read = buffer.read();
    await gpu.close();
    const failures = [await failureOf(buffer.read()), await failureOf(() => gpu.buffer([1])), await failureOf(gpu.flush())];
    return { losses, read: [...(await read)], failures, state: gpu.state };
  });
  assert.deepEqual([seen.losses, seen.read, seen.state], [0, [1, 2], "closed"]);
  for (const failure of seen.failures) assertFailure(failure, [1006, failure.operation, "closed"]);
});

pageTest("a crash while the page is busy is told by the next await", recovers, async ({ run, crashGpuProcess }) => {
  await run(async ({ acquire }) => {
    globalThis.gpu = await acquire();
    await gpu.flush();
  });
  const busy = run(async ({ acquire }) => {
    const start = performance.now();
    let made = 0;
    // Nothing throws inside of the task in which the process died.
    const failures = [];
    while (performance.now() - start < 1500) {
      const buffer = gpu.buffer({ dtype: "f32", length: 16 }, { label: "blind" });
      if (made++ % 500 === 0) failures.push(failureOf(buffer.ready));
      buffer.destroy();
      for (let n = 0; n < 20_000; n++);
    }
    const last = gpu.buffer({ dtype: "f32", length: 16 }, { label: "blind" });
    failures.push(failureOf(last.read()));
    const seen = await Promise.all(failures);
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    return { seen: seen.at(-1), made };
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  await crashGpuProcess();
  const { seen, made } = await busy;
  assert.ok(made > 10);
  assertFailure(seen, [1008, "read", "device-lost"], { context: { label: "blind" } });
});

pageTest("a frozen GPU process ends in a timeout, and the next job works when it wakes", async ({ run, signalGpuProcess }) => {
  await run(async ({ acquire }) => {
    globalThis.gpu = await acquire();
    globalThis.buffer = gpu.buffer(Float32Array.of(1, 2, 3), { label: "data" });
    await gpu.flush();
  });
  await signalGpuProcess("SIGSTOP");
  let seen;
  try {
    seen = await run(async () => ({
      read: await failureOf(buffer.read({ timeoutMs: 300 })),
      flush: await failureOf(gpu.flush({ timeoutMs: 100 })),
    }));
  } finally {
    await signalGpuProcess("SIGCONT");
  }
  const after = await run(async ({ acquire }) => {
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    return { state: gpu.state, failure: await failureOf(doGoodJob(gpu)) };
  });
  assert.deepEqual(after, { state: "ready", failure: undefined });
  assertFailure(seen.read, [1009, "read", "timeout"], { context: { label: "data", timeoutMs: 300 } });
  assertFailure(seen.flush, [1009, "dispatch", "timeout"], { context: { timeoutMs: 100 } });
});

pageTest("a driver that resets in the background is a loss of unknown cause", async ({ run }) => {
  const seen = await run(async ({ acquire }) => {
    const lost = Object.getOwnPropertyDescriptor(GPUDevice.prototype, "lost");
    const info = { reason: "unknown", message: "DXGI_ERROR_DEVICE_HUNG" };
    Object.defineProperty(GPUDevice.prototype, "lost", {
      configurable: true,
      get() {
        return lost.get.call(this).then(() => info);
      },
    });
    const gpu = await acquire();
    const told = new Promise((resolve) => gpu.addEventListener("lost", ({ detail }) => resolve(detail)));
    const buffer = gpu.buffer(new Float32Array(4), { label: "data" });
    await gpu.flush();
    gpu.device.destroy();
    const { error, generation } = await told;
    Object.defineProperty(GPUDevice.prototype, "lost", lost);
    const failure = await failureOf(buffer.read());
    const other = await acquire();
    await doGoodJob(other);
    await other.close();
    return { told: error.toJSON(), cause: error.cause?.message, generation, failure };
  });
  assert.deepEqual([seen.told.stableId, seen.told.reason, seen.generation], [1008, "device-lost", 1]);
  assert.equal(seen.cause, "DXGI_ERROR_DEVICE_HUNG");
  assertFailure(seen.failure, [1008, "read", "device-lost"], { context: { label: "data" } });
});
