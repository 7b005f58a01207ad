// A loss outranks whatever else failed, wherever it lands round the failure.

import assert from "node:assert/strict";

import { assertFailure } from "./failure.mjs";
import { pageTest } from "./harness.mjs";
import { injecting, losing, operations } from "./injection.mjs";

const landings = {
  "before the call": ({ lose }) => lose(),
  "in the same task": ({ later, lose }) => later(lose),
  "as the failure is told": ({ onFailure, lose }) => onFailure(lose),
  "one task after the failure": ({ onFailure, nextTask, lose }) => onFailure(() => nextTask().then(lose)),
};

for (const [when, land] of Object.entries(landings)) {
  pageTest(`a loss that lands ${when} outranks the failure`, { init: `(${injecting})(); (${losing})();` }, async ({ run }) => {
    const seen = await run(
      async ({ acquire, out }, land) => {
        const nextTask = () =>
          new Promise((resolve) => {
            const { port1, port2 } = new MessageChannel();
            port1.onmessage = () => (port1.close(), resolve());
            port2.postMessage(0);
          });
        const seen = {};
        const any = await acquire();
        const names = Object.keys(await prepare(any, out));
        await any.close();
        const errors = {
          internal: () => new GPUInternalError("the driver failed"),
          "out-of-memory": () => new GPUOutOfMemoryError("no memory"),
          validation: () => new GPUValidationError("refused"),
        };
        for (const [filter, error] of Object.entries(errors)) {
          for (const what of names) {
            const gpu = await acquire();
            const { device } = gpu;
            const operation = (await prepare(gpu, out))[what];
            let told = () => {};
            const putBack = answerOnce(filter, async (real) => (await real, told(), error()));
            let atOnce = () => {};
            eval(land)({ nextTask, lose: () => lose(device), onFailure: (act) => (told = act), later: (act) => (atOnce = act) });
            const failed = failureOf(operation);
            atOnce();
            const failure = await failed;
            putBack();
            seen[`${filter} ${what}`] = { failure, state: gpu.state };
            await gpu.close();
          }
        }
        const gpu = await acquire();
        await doGoodJob(gpu);
        await gpu.close();
        return seen;
      },
      String(land),
    );
    for (const [key, { failure, state }] of Object.entries(seen)) {
      const [operation, label] = operations[key.split(" ")[1]];
      try {
        assertFailure(failure, [1008, operation, "device-lost"], { context: { label, generation: 1 } });
      } catch (error) {
        throw new Error(`${key}: ${error.message}`, { cause: error });
      }
      assert.equal(state, "failed");
    }
    assert.equal(Object.keys(seen).length, 3 * Object.keys(operations).length);
  });
}

const destructions = {
  "before it is called": ({ destroy, act }) => (destroy(), act()),
  "in its task": ({ destroy, act }) => {
    const failed = act();
    destroy();
    return failed;
  },
  "in the next microtask": ({ destroy, act }) => {
    const failed = act();
    queueMicrotask(() => queueMicrotask(destroy));
    return failed;
  },
};

for (const [when, destroy] of Object.entries(destructions)) {
  pageTest(`what fails for real is the loss if the device is destroyed ${when}`, async ({ run }) => {
    const seen = await run(
      async ({ acquire }, order) => {
        const wgsl = "@group(0) @binding(0) var<storage, read_write> x: array<f32>;\n@compute @workgroup_size(1) fn main() { x[0] = 1.0; }";
        const kinds = {
          "wrong WGSL": (gpu) => () => gpu.kernel(`${wgsl} oops`, { label: "it" }).ready,
          "no memory": (gpu) => () => gpu.buffer({ dtype: "f32", length: 2 ** 28 }, { label: "it" }).ready,
          "robbed dispatch": (gpu, stolen, kernel) => () => kernel.dispatch({ x: stolen }, { workgroups: 1, label: "it" }),
          "robbed read": (gpu, stolen) => () => stolen.read(),
          "robbed batch": (gpu, stolen) => () => gpu.batch((batch) => batch.read(stolen), { label: "it" }),
        };
        const seen = {};
        for (const [what, kind] of Object.entries(kinds)) {
          const gpu = await acquire();
          const stolen = gpu.buffer(new Float32Array(4), { label: "it" });
          const kernel = gpu.kernel(wgsl);
          await kernel.ready;
          await stolen.ready;
          stolen.gpuBuffer.destroy();
          const act = kind(gpu, stolen, kernel);
          seen[what] = await failureOf(eval(order)({ destroy: () => gpu.device.destroy(), act }));
          await gpu.close();
        }
        const gpu = await acquire();
        await doGoodJob(gpu);
        await gpu.close();
        return seen;
      },
      String(destroy),
    );
    const kinds = {
      "wrong WGSL": "compile", "no memory": "upload", "robbed dispatch": "dispatch", "robbed read": "read", "robbed batch": "dispatch",
    };
    for (const [what, operation] of Object.entries(kinds)) {
      try {
        assertFailure(seen[what], [1008, operation, "device-lost"], { context: { label: "it", generation: 1 } });
      } catch (error) {
        throw new Error(`${what}: ${error.message}`, { cause: error });
      }
    }
  });
}

pageTest("a guard judges as the package does: every report, and a loss that lands anywhere round it", { init: `(${injecting})(); (${losing})();` }, async ({ run }) => {
  const seen = await run(async ({ watch }) => {
    const reports = {
      internal: ["internal", async () => new GPUInternalError("the driver failed")],
      memory: ["out-of-memory", async () => new GPUOutOfMemoryError("no memory")],
      validation: ["validation", async () => new GPUValidationError("refused")],
      unknown: ["internal", async () => report("GPUNovelError", "something new")],
      rejected: ["validation", () => Promise.reject(new DOMException("Instance dropped", "OperationError"))],
    };
    const nextTask = () => new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => (port1.close(), resolve());
      port2.postMessage(0);
    });
    const landings = {
      never: () => {},
      before: (told, lose) => lose(),
      "as it is told": (told, lose) => told.then(lose),
      "one task after": (told, lose) => told.then(nextTask).then(lose),
    };
    const seen = {};
    for (const [what, [filter, answer]] of Object.entries(reports)) {
      for (const [when, land] of Object.entries(landings)) {
        const device = await (await navigator.gpu.requestAdapter()).requestDevice();
        const watched = watch(device, { label: "scene" });
        let tell;
        const told = new Promise((resolve) => (tell = resolve));
        const putBack = answerOnce(filter, async (real) => (await real, tell(), answer()));
        land(told, () => lose(device));
        const failure = await failureOf(watched.guard(() => device.createBuffer({ size: 16, usage: 8 }), { operation: "upload" }));
        putBack();
        (seen[what] ??= {})[when] = failure && [failure.stableId, failure.reason, failure.operation, failure.context.label];
        device.destroy();
      }
    }
    return seen;
  });
  const alone = {
    internal: [1005, "internal"],
    memory: [1001, "out-of-memory"],
    validation: [1006, "validation"],
    unknown: [1999, "unclassified"],
    rejected: [1008, "device-lost"],
  };
  for (const [what, [id, reason]] of Object.entries(alone)) {
    const { never, ...lost } = seen[what];
    assert.deepEqual([what, never], [what, [id, reason, "upload", "scene"]]);
    for (const [when, failure] of Object.entries(lost)) {
      assert.deepEqual([what, when, failure], [what, when, [1008, "device-lost", "upload", "scene"]]);
    }
  }
});
