// The programs that bring each code about, by stable id. They run as they are printed, and end with what they throw.
// `anywhere`: gives its code without a device too.

const twice = `const kernel = gpu.kernel(\`
  @group(0) @binding(0) var<storage, read> x: array<f32>;
  @group(0) @binding(1) var<storage, read_write> y: array<f32>;
  @compute @workgroup_size(64)
  fn twice(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&y)) { y[id.x] = 2 * x[id.x]; }
  }\`);`;

const spin = `const kernel = gpu.kernel(\`
  @group(0) @binding(0) var<storage, read_write> x: array<u32>;
  @compute @workgroup_size(1)
  fn spin() {
    for (var i = 0u; i < 100u; i++) {
      for (var j = 0u; j < 60000u; j++) { x[0] = x[0] * 3u + 1u; }
    }
  }\`);`;

export const triggers = {
  1001: [
    {
      title: "A budget is used up",
      program: `import { acquire } from "steadfast-gpu";
const gpu = await acquire({ memoryBudgetBytes: 1024 });
const buffer = gpu.buffer({ dtype: "f32", length: 1000 });
await buffer.ready;`,
    },
    {
      title: "The browser has no memory for a mapping of 1 TiB",
      program: `import { acquire, watch } from "steadfast-gpu";
const gpu = await acquire();
const { device } = gpu;
await watch(device).guard(() => device.createBuffer({
  size: 2 ** 40,
  usage: GPUBufferUsage.COPY_SRC,
  mappedAtCreation: true,
}), { operation: "upload" });`,
    },
  ],
  1002: [
    {
      title: "A feature that no adapter has",
      anywhere: true,
      program: `import { acquire } from "steadfast-gpu";
const gpu = await acquire({ features: ["ray-tracing"] });`,
    },
  ],
  1003: [
    {
      title: "A panic inside the wasm",
      program: `import { acquire } from "steadfast-gpu";
import { panic } from "steadfast-gpu/testing";
const gpu = await acquire();
const pending = gpu.flush();
panic(gpu);
await pending;`,
    },
  ],
  1004: [
    {
      title: "WGSL that names what is not there",
      program: `import { acquire } from "steadfast-gpu";
const gpu = await acquire();
const kernel = gpu.kernel(\`
  @group(0) @binding(0) var<storage, read_write> y: array<f32>;
  @compute @workgroup_size(1)
  fn broken() { y[0] = missing; }\`);
await kernel.ready;`,
    },
  ],
  1005: [
    {
      title: "A buffer destroyed behind the package's back",
      program: `import { acquire } from "steadfast-gpu";
const gpu = await acquire();
const buffer = gpu.buffer(Float32Array.of(1, 2, 3));
await buffer.ready;
buffer.gpuBuffer.destroy();
await buffer.read();`,
    },
  ],
  1006: [
    {
      title: "An argument left out",
      program: `import { acquire, out } from "steadfast-gpu";
const gpu = await acquire();
${twice}
await kernel.run({ y: out("f32", 3) });`,
    },
  ],
  1008: [
    {
      title: "The device is destroyed while a read waits",
      program: `import { acquire } from "steadfast-gpu";
const gpu = await acquire();
const scores = gpu.buffer(Float32Array.of(1, 2, 3), { label: "scores" });
const pending = scores.read();
gpu.device.destroy();
await pending;`,
    },
  ],
  1009: [
    {
      title: "A kernel that takes longer than it may",
      program: `import { acquire } from "steadfast-gpu";
const gpu = await acquire();
${spin}
await kernel.ready;
const x = gpu.buffer(Uint32Array.of(1));
await kernel.dispatch({ x }, { workgroups: 1, timeoutMs: 1 });`,
    },
  ],
  1999: [
    {
      title: "Something that no rule knows",
      anywhere: true,
      program: `import { classify } from "steadfast-gpu/errors";
throw classify(new Error("The socket closed."));`,
    },
  ],
};

/** Why a code has no trigger. */
export const absent = {
  1007: "Cooperative launches are not built yet, and nothing else gives this code. Its number and its meaning are settled, so rules written now will hold.",
};
