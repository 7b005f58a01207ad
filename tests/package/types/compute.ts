import { acquire, inout, isAvailable, out } from "steadfast-gpu";
import type { AcquireOptions, Gpu, GpuBuffer, Grid, Kernel, RunInfo, RunOptions } from "steadfast-gpu";

const options: AcquireOptions = {
  powerPreference: "high-performance",
  limits: { maxBufferSize: 1 << 30 },
  features: ["timestamp-query"],
  optionalFeatures: [],
  memoryBudgetBytes: 1 << 28,
  timeoutMs: 5000,
  strict: true,
  label: "types",
  signal: AbortSignal.timeout(1000),
};

export async function compute(): Promise<void> {
  const available: boolean = await isAvailable();
  const gpu: Gpu = await acquire(available ? options : undefined);

  // Types of buffers follow from the data.
  const floats: GpuBuffer<"f32"> = gpu.buffer(Float32Array.of(1, 2, 3), { label: "floats" });
  const ints: GpuBuffer<"i32"> = gpu.buffer(new Int32Array(4));
  const words: GpuBuffer<"u32"> = gpu.buffer(new Uint32Array(4));
  const bytes: GpuBuffer<"u32"> = gpu.buffer(new Uint8Array(8));
  const view: GpuBuffer<"u32"> = gpu.buffer(new DataView(new ArrayBuffer(8)));
  const vectors: GpuBuffer<"vec4f"> = gpu.buffer({ dtype: "vec4f", length: 16 });
  const halves: GpuBuffer<"f16"> = gpu.buffer({ dtype: "f16", data: [1, 2, 3] });
  // @ts-expect-error: a type WGSL has not
  gpu.buffer({ dtype: "f64", length: 1 });

  // What is read has the buffer's type, on memory of its own.
  const read: Float32Array<ArrayBuffer> = await floats.read({ start: 1, end: 2, timeoutMs: 100 });
  const readHalves: Uint16Array<ArrayBuffer> = await halves.read();
  const readInts: Int32Array<ArrayBuffer> = await ints.read();
  // @ts-expect-error: an i32 buffer gives an Int32Array
  const wrong: Float32Array<ArrayBuffer> = await ints.read();
  await words.readInto(new Uint32Array(4));
  floats.write([1, 2, 3], 0).fill(0, 1, 2).copyTo(floats.subarray(0), { start: 0, end: 1, at: 2 });
  // @ts-expect-error: copies are between buffers of one type
  floats.copyTo(ints);

  const kernel: Kernel = gpu.kernel("...", { entryPoint: "main", constants: { n: 1, fast: true }, label: "k" });
  await kernel.ready;
  const [x, y, z] = kernel.workgroupSize;
  const binding = kernel.bindings[0];
  const access: "read" | "read_write" | undefined = binding?.access;

  // Results are named and typed after the outputs asked for; inputs are not among them.
  const grid: Grid = { workgroups: [4, 2] };
  const result = await kernel.run(
    { x: floats, n: 3, tint: [1, 0, 0, 1], camera: { at: [0, 0, 0], lens: { f: 35 } }, y: out("f32", 3), z: inout(new Int32Array(2)) },
    { ...grid, timing: true },
  );
  const resultY: Float32Array<ArrayBuffer> = result.y;
  const resultZ: Int32Array = result.z;
  const info: RunInfo = result.info;
  // @ts-expect-error: x is an input
  result.x;
  // @ts-expect-error: an f32 output is a Float32Array
  const wrongY: Uint32Array = result.y;

  const ran: RunInfo = await kernel.dispatch({ x: floats, y: floats }, { elements: 3, label: "one" });
  const wallMs: number | undefined = ran.timing?.wallMs;
  const bound = kernel.bind({ x: floats, y: floats });
  await bound.dispatch({ indirect: { buffer: words, offset: 4 } });

  const { first, second } = await gpu.batch((batch) => {
    batch.dispatch(kernel, { x: floats, y: floats }, { workgroups: 1 });
    batch.dispatch(bound, { workgroups: 1 });
    batch.repeat(2, (i) => batch.write(floats, Float32Array.of(i)));
    batch.copy(floats, floats);
    return { first: batch.read(floats), second: batch.read(ints) };
  });
  const batchedFloats: Float32Array<ArrayBuffer> = first;
  const batchedInts: Int32Array<ArrayBuffer> = second;

  const doubled = await gpu.elementwise("x * 2")([1, 2, 3]);
  await gpu.elementwise("x + 1").into(floats, floats);
  const length: number = doubled.length;

  gpu.addEventListener("uncaptured", ({ detail }) => console.log(detail.error.stableId));
  const run: RunOptions = { signal: AbortSignal.timeout(1) };
  await gpu.flush(run);
  const { liveBytes, wasmBytes } = gpu.memory();
  const { dispatches, errors } = gpu.stats();
  const limit: number | undefined = gpu.limits["maxBufferSize"];
  const hasSubgroups: boolean = gpu.features.has("subgroups");
  // @ts-expect-error: the state is told, not set
  gpu.state = "closed";

  {
    using scratch = gpu.buffer({ dtype: "u32", length: 1 });
    await using second = await acquire();
    console.log(scratch.byteLength, second.generation);
  }
  kernel.destroy();
  await gpu.close();

  console.log(bytes, view, vectors, read, readHalves, readInts, wrong, x, y, z, access, resultY, resultZ, info, wrongY);
  console.log(wallMs, batchedFloats, batchedInts, length, liveBytes, wasmBytes, dispatches, errors, limit, hasSubgroups);
}
