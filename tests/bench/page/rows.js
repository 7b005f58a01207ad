// What is compared. Each row prepares its own buffers and gives them back, so that rows do not share state.
import { out } from "steadfast-gpu";
import {
  encodeDispatches,
  freshRead,
  pooledReader,
  pooledWriter,
  rawBuffer,
  rawKernel,
  submitInScopes,
  submitTogether,
} from "./raw.js";

const MIB = 1024 * 1024;
const TINY_LEN = 64;
const MANY = 1000;

// Its own inverse, so that any number of rounds back and forth leaves the same values.
const FLIP = `
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) workgroups: vec3u) {
    let i = id.x + id.y * workgroups.x * 64;
    if (i < arrayLength(&y)) { y[i] = 1.0 - x[i]; }
}`;

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} against what the raw side is
 * @property {number} [budget] the most that ours may cost, as a multiple of raw
 * @property {number} repeat calls in one sample
 * @property {(gpu: import("steadfast-gpu").Gpu) => Promise<import("./measure.js").Sides>} prepare
 */

/** @type {Row[]} */
export const rows = [
  {
    name: "awaited tiny dispatch",
    against: "raw in the same scopes",
    repeat: 40,
    prepare: tiny(({ kernel, x, y }, raw) => ({
      ours: () => kernel.dispatch({ x, y }),
      raw: () => submitInScopes(raw.device, raw.pipeline, raw.forward, 1),
    })),
  },
  {
    name: "awaited tiny dispatch, bound",
    against: "raw in the same scopes",
    repeat: 40,
    prepare: tiny(({ forward }, raw) => ({
      ours: () => forward.dispatch(),
      raw: () => submitInScopes(raw.device, raw.pipeline, raw.forward, 1),
    })),
  },
  {
    name: "1000 dispatches in a batch",
    against: "raw, one encoder",
    budget: 1.05,
    repeat: 4,
    prepare: tiny(({ gpu, forward, back }, raw) => ({
      ours: () =>
        Promise.all([
          gpu.batch((b) => {
            b.repeat(MANY / 2, () => {
              b.dispatch(forward);
              b.dispatch(back);
            });
          }),
          gpu.flush(),
        ]),
      raw: () => rawTogether(raw, pingPong(raw)),
    })),
  },
  {
    name: "1000 un-awaited dispatches",
    against: "raw, one submit each",
    budget: 0.2,
    repeat: 2,
    prepare: tiny(({ gpu, kernel, x, y }, raw) => ({
      ours() {
        for (let i = 0; i < MANY; i++) kernel.dispatch({ x, y });
        return gpu.flush();
      },
      raw: () => rawOneByOne(raw, Array(MANY).fill(raw.forward)),
    })),
  },
  {
    name: "1000 un-awaited dispatches",
    against: "raw, one encoder",
    repeat: 2,
    prepare: tiny(({ gpu, kernel, x, y }, raw) => ({
      ours() {
        for (let i = 0; i < MANY; i++) kernel.dispatch({ x, y });
        return gpu.flush();
      },
      raw: () => rawTogether(raw, Array(MANY).fill(raw.forward)),
    })),
  },
  {
    name: "1000 bound dispatches",
    against: "raw, one submit each",
    budget: 0.2,
    repeat: 2,
    prepare: tiny(({ gpu, forward, back }, raw) => ({
      ours: () => boundLoop(gpu, forward, back),
      raw: () => rawOneByOne(raw, pingPong(raw)),
    })),
  },
  {
    name: "1000 bound dispatches",
    against: "raw, one encoder",
    repeat: 2,
    prepare: tiny(({ gpu, forward, back }, raw) => ({
      ours: () => boundLoop(gpu, forward, back),
      raw: () => rawTogether(raw, pingPong(raw)),
    })),
  },
  uploadRow("1 MiB", MIB, 8),
  uploadRow("16 MiB", 16 * MIB, 1),
  uploadRow("64 MiB", 64 * MIB, 1),
  mappedUploadRow("16 MiB", 16 * MIB),
  mappedUploadRow("64 MiB", 64 * MIB),
  readRow("4 KiB", 4096, 20),
  readRow("1 MiB", MIB, 8),
  readRow("16 MiB", 16 * MIB, 1),
  freshReadRow("4 KiB", 4096, 20),
  freshReadRow("1 MiB", MIB, 8),
  freshReadRow("16 MiB", 16 * MIB, 1),
  {
    name: "readInto 16 MiB",
    against: "raw, pooled staging, set()",
    budget: 1.05,
    repeat: 1,
    prepare: bulk(16 * MIB, ({ x }, raw, { length }) => {
      const target = new Float32Array(length);
      const rawTarget = new Float32Array(length);
      return {
        ours: () => x.readInto(target),
        raw: () => rawRead(raw, raw.x, (reader) => reader.into(rawTarget)),
        results: async () => ({ ours: target, raw: rawTarget }),
      };
    }),
  },
  {
    name: "round trip 4 MiB: write, dispatch, read",
    against: "raw, all kept",
    budget: 1.05,
    repeat: 2,
    prepare: bulk(4 * MIB, ({ kernel, x, y }, raw, { data, workgroups }) => {
      let ours, theirs;
      return {
        async ours() {
          x.write(data);
          kernel.dispatch({ x, y });
          ours = await y.read();
        },
        async raw() {
          theirs = await rawRoundTrip(raw, data, workgroups);
        },
        results: async () => ({ ours, raw: theirs }),
      };
    }),
  },
  runRow("4 KiB", 4096, 20),
  runRow("4 MiB", 4 * MIB, 2),
];

function uploadRow(label, size, repeat) {
  return {
    name: `upload ${label}`,
    against: "raw, writeBuffer",
    budget: 1.05,
    repeat,
    prepare: bulk(size, ({ gpu, x }, raw, { other }) => ({
      ours() {
        x.write(other);
        return gpu.flush();
      },
      raw() {
        raw.device.queue.writeBuffer(raw.x, 0, other);
        return raw.device.queue.onSubmittedWorkDone();
      },
      results: async () => ({ ours: await x.read(), raw: await rawRead(raw, raw.x, (reader) => reader.array()) }),
    })),
  };
}

function mappedUploadRow(label, size) {
  return {
    name: `upload ${label}`,
    against: "raw, pooled mapping",
    repeat: 1,
    prepare: bulk(size, ({ gpu, x }, raw, { other }) => {
      const writer = pooledWriter(raw.device, size);
      return {
        ours() {
          x.write(other);
          return gpu.flush();
        },
        raw: () => writer.write(raw.x, other),
        results: async () => ({ ours: await x.read(), raw: await rawRead(raw, raw.x, (reader) => reader.array()) }),
        destroy: () => writer.destroy(),
      };
    }),
  };
}

function readRow(label, size, repeat) {
  return {
    name: `read ${label}`,
    against: "raw, pooled staging",
    budget: 1.05,
    repeat,
    prepare: bulk(size, ({ x }, raw) =>
      reads(
        () => x.read(),
        () => rawRead(raw, raw.x, (reader) => reader.array()),
      ),
    ),
  };
}

function freshReadRow(label, size, repeat) {
  return {
    name: `read ${label}`,
    against: "raw, fresh staging",
    repeat,
    prepare: bulk(size, ({ x }, raw) =>
      reads(
        () => x.read(),
        () => freshRead(raw.device, raw.x, size),
      ),
    ),
  };
}

function runRow(label, size, repeat) {
  return {
    name: `run() with arrays, ${label}`,
    against: "raw, all kept",
    repeat,
    prepare: bulk(size, ({ kernel }, raw, { data, length, workgroups }) =>
      reads(
        async () => (await kernel.run({ x: data, y: out("f32", length) })).y,
        () => rawRoundTrip(raw, data, workgroups, { clear: true }),
      ),
    ),
  };
}

/** Sides that give arrays: the last one of each is compared. */
function reads(ours, raw) {
  const last = {};
  return {
    ours: async () => void (last.ours = await ours()),
    raw: async () => void (last.raw = await raw()),
    results: async () => last,
  };
}

/** A row on two tiny buffers, with the kernel bound both ways. */
function tiny(sidesOf) {
  return async (gpu) => {
    const data = Float32Array.from({ length: TINY_LEN }, (_, i) => i % 7);
    const [kernel, x, y] = [await gpu.kernel(FLIP).ready, gpu.buffer(data), gpu.buffer(data)];
    const raw = rawSide(gpu.device, data);
    const [forward, back] = [kernel.bind({ x, y }), kernel.bind({ x: y, y: x })];
    return {
      results: async () => ({ ours: await y.read(), raw: await freshRead(raw.device, raw.y, data.byteLength) }),
      ...sidesOf({ gpu, kernel, x, y, forward, back }, raw),
      destroy: () => [kernel, x, y, raw].forEach((held) => held.destroy()),
    };
  };
}

/** A row on two buffers of `size` bytes, with data that is in `x`, other data to write, and staging on the raw side. */
function bulk(size, sidesOf) {
  return async (gpu) => {
    const length = size / 4;
    const data = Float32Array.from({ length }, (_, i) => i % 1021);
    const [kernel, x, y] = [await gpu.kernel(FLIP).ready, gpu.buffer(data), gpu.buffer({ dtype: "f32", length })];
    const raw = { ...rawSide(gpu.device, data), reader: pooledReader(gpu.device, size) };
    const workgroups = Math.ceil(length / 64);
    const other = data.map((value) => value + 0.5);
    const sides = sidesOf({ gpu, kernel, x, y }, raw, { data, other, length, workgroups });
    return {
      ...sides,
      async destroy() {
        await sides.destroy?.();
        for (const held of [kernel, x, y, raw, raw.reader]) held.destroy();
      },
    };
  };
}

function rawSide(device, data) {
  const { pipeline, bind } = rawKernel(device, FLIP, ["read-only-storage", "storage"]);
  const [x, y] = [rawBuffer(device, data.byteLength, data), rawBuffer(device, data.byteLength, data)];
  return {
    device,
    pipeline,
    x,
    y,
    forward: bind(x, y),
    back: bind(y, x),
    destroy() {
      x.destroy();
      y.destroy();
    },
  };
}

function pingPong(raw) {
  return Array.from({ length: MANY }, (_, i) => (i % 2 === 0 ? raw.forward : raw.back));
}

function boundLoop(gpu, forward, back) {
  for (let i = 0; i < MANY / 2; i++) {
    forward.dispatch();
    back.dispatch();
  }
  return gpu.flush();
}

function rawTogether({ device, pipeline }, bindGroups) {
  submitTogether(device, pipeline, bindGroups, 1);
  return device.queue.onSubmittedWorkDone();
}

function rawOneByOne({ device, pipeline }, bindGroups) {
  for (const bindGroup of bindGroups) submitTogether(device, pipeline, [bindGroup], 1);
  return device.queue.onSubmittedWorkDone();
}

function rawRead({ device, reader }, source, take) {
  const encoder = device.createCommandEncoder();
  reader.encode(encoder, source);
  device.queue.submit([encoder.finish()]);
  return take(reader);
}

function rawRoundTrip({ device, pipeline, forward, x, y, reader }, data, workgroups, { clear = false } = {}) {
  device.queue.writeBuffer(x, 0, data);
  const encoder = device.createCommandEncoder();
  if (clear) encoder.clearBuffer(y);
  encodeDispatches(encoder, pipeline, [forward], workgroups);
  reader.encode(encoder, y);
  device.queue.submit([encoder.finish()]);
  return reader.array();
}
