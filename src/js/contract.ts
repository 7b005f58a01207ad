/// <reference lib="esnext.disposable" preserve="true" />
import type { ComputeError, Operation } from "./compute_error.js";
import type {
  Args,
  BatchResult,
  Data,
  DType,
  Float16View,
  GPUDeviceLike,
  Grid,
  Outputs,
  RunInfo,
  RunOptions,
  TypedArrayOf,
} from "./types.js";

/** What `acquire()` is asked for. An unknown member is refused, so a misspelled one is noticed. */
export interface AcquireOptions {
  /** Which GPU, where there are two. Default: the browser's choice. */
  powerPreference?: "low-power" | "high-performance";
  /**
   * The device's limits. `"max-useful"` (default): buffer, binding and workgroup limits are raised to the adapter's.
   * `"default"`: WebGPU's own. Or single limits by WebGPU's names; more than the adapter has is `UnsupportedFeature`.
   */
  limits?: "default" | "max-useful" | Partial<Record<string, number>>;
  /** WebGPU features that must be there; a missing one is `UnsupportedFeature`, reason `"feature-missing"`. */
  features?: readonly string[];
  /** Features taken where they are there. Default: `timestamp-query`, `shader-f16`, `subgroups`. */
  optionalFeatures?: readonly string[];
  /** Most bytes of GPU buffers this Gpu may hold; past it `DeviceOutOfMemory` comes before the driver is asked. */
  memoryBudgetBytes?: number;
  /** Milliseconds every call of this Gpu may take unless it says otherwise. Default: no bound. */
  timeoutMs?: number;
  /** Checks more and costs more: error scopes round every call, the counts of indirect dispatches. For development. */
  strict?: boolean;
  /** Where the wasm comes from; the first acquire of a page decides. Default: the copy inside the package. */
  wasm?: URL | string | Response | PromiseLike<Response> | BufferSource | WebAssembly.Module;
  /** A name for error messages and for the browser's tools. */
  label?: string;
  /** Stops waiting when it fires; `acquire()` rejects with `signal.reason` unchanged. */
  signal?: AbortSignal;
}

/** The events of a Gpu. */
export interface GpuEvents {
  /**
   * A failure that nobody looked at: of a call whose promise was never awaited, or of the device outside of any call.
   * Unless a listener calls `preventDefault()`, the error also goes to `console.error`.
   */
  uncaptured: CustomEvent<{ error: ComputeError }>;
}

/** A device of somebody else, watched. */
export interface Watch extends EventTarget, Disposable {
  /** Whether the device still lives. */
  readonly state: "alive" | "lost";
  /** The loss, once it comes; never rejects. */
  readonly lost: Promise<ComputeError>;
  /**
   * Runs `encode` inside the three error scopes and gives its result; a promise it returns is awaited outside of them.
   * Costs one round trip to the GPU process.
   *
   * @param options `operation` says what is being done (default `"dispatch"`), and so which code a refusal gets.
   * @throws Rejects with the classified failure: of a scope, of an exception, or of the promise `encode` returned.
   */
  guard<R>(encode: () => R, options?: { label?: string; operation?: Operation }): Promise<Awaited<R>>;
  addEventListener<K extends keyof WatchEvents>(
    type: K,
    listener: (event: WatchEvents[K]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;
}

/** The events of a {@link Watch}. */
export interface WatchEvents {
  /** An error outside of every scope. */
  error: CustomEvent<{ error: ComputeError }>;
  /** The device was lost; once. */
  lost: CustomEvent<{ error: ComputeError; generation: number }>;
}

/** Counts since acquire; `errors` counts failures by stable id. */
export interface GpuStats {
  dispatches: number;
  flushes: number;
  bytesUploaded: number;
  bytesRead: number;
  losses: number;
  recoveries: number;
  replayed: number;
  routes: Record<string, number>;
  errors: Record<number, number>;
}

/** Bytes held: by buffers, by the pool kept for reuse, by copies on the host, by the wasm instance. */
export interface MemoryReport {
  liveBytes: number;
  peakBytes: number;
  buffers: number;
  pooledBytes: number;
  shadowBytes: number;
  wasmBytes: number;
}

/**
 * One GPU device and everything made with it.
 *
 * Synchronous methods throw at once for bad arguments; asynchronous ones only reject. Un-awaited calls are recorded and
 * submitted together at the end of the task, at a read, or by {@link Gpu.flush}.
 *
 * @example
 * const gpu = await acquire();
 * const double = gpu.elementwise("x * 2");
 * console.log(await double([1, 2, 3])); // Float32Array [2, 4, 6]
 * await gpu.close();
 */
export interface Gpu extends EventTarget, AsyncDisposable {
  readonly state: "ready" | "recovering" | "cooling" | "failed" | "closed";
  /** +1 for each device. */
  readonly generation: number;
  readonly info: { vendor: string; architecture: string; description: string; isFallbackAdapter: boolean };
  readonly limits: Readonly<Record<string, number>>;
  readonly features: ReadonlySet<string>;
  /** The `GPUDevice`, to share with other code. */
  readonly device: GPUDeviceLike | undefined;

  /**
   * A buffer on the GPU, of the array's type and with its contents; its bytes are taken now.
   *
   * Byte views, `DataView` and 64-bit arrays become raw bytes as `u32`.
   *
   * @throws `InvalidProgram`: not data, a byte length that is no multiple of 4 (`"length-mismatch"`), a detached array
   *   (`"detached"`), numbers that do not fit the type (`"type-mismatch"`). Memory and limits land on `ready` and on
   *   every use.
   * @example
   * const x = gpu.buffer(Float32Array.of(1, 2, 3));
   */
  buffer(src: Float32Array, options?: BufferOptions): GpuBuffer<"f32">;
  buffer(src: Int32Array, options?: BufferOptions): GpuBuffer<"i32">;
  buffer(src: Uint32Array, options?: BufferOptions): GpuBuffer<"u32">;
  buffer(src: Float16View, options?: BufferOptions): GpuBuffer<"f16">;
  /**
   * A buffer of a named type: zeros, or data. Numbers are converted; an array must already be of the type, or bytes.
   *
   * @example
   * const zeros = gpu.buffer({ dtype: "f32", length: 1024 });
   * const half = gpu.buffer({ dtype: "f16", data: [0.5, 1.5] });
   */
  buffer<T extends DType>(
    src: { dtype: T; length: number } | { dtype: T; data: ArrayLike<number> | ArrayBufferView },
    options?: BufferOptions,
  ): GpuBuffer<T>;
  buffer(src: ArrayBufferView, options?: BufferOptions): GpuBuffer<"u32">;

  /**
   * A kernel of WGSL source; compiles while other work goes on.
   *
   * @throws `InvalidProgram`: not a string, an unknown option. What is wrong with the source lands on `ready` and on
   *   every use.
   * @example
   * const square = gpu.kernel(`
   *   @group(0) @binding(0) var<storage, read> x: array<f32>;
   *   @group(0) @binding(1) var<storage, read_write> y: array<f32>;
   *   @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
   *     if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] * x[id.x]; }
   *   }`);
   * const { y } = await square.run({ x: Float32Array.of(1, 2, 3), y: out("f32", 3) });
   */
  kernel(wgsl: string, options?: KernelOptions): Kernel;

  /**
   * A kernel of one WGSL expression over one array named `x`, of the type of the data it is called with.
   *
   * @throws `InvalidProgram`: not a string. What is wrong with the expression rejects the call.
   * @example
   * const double = gpu.elementwise("x * 2");
   * console.log(await double([1, 2, 3])); // Float32Array [2, 4, 6]
   */
  elementwise(expr: string): ElementwiseKernel;

  /**
   * Several operations as one call: one submission, one answer. When anything in it is refused, nothing of it ran, and
   * the error says which entry (`context.index`). `record` runs now and is synchronous.
   *
   * @example
   * const [a, b] = await gpu.batch((batch) => {
   *   batch.dispatch(kernel, { x, y });
   *   return [batch.read(x), batch.read(y)];
   * });
   */
  batch<R>(record: (batch: Batch) => R, options?: RunOptions): Promise<BatchResult<R>>;

  /** Resolves when everything recorded so far is submitted and has finished. */
  flush(options?: RunOptions): Promise<void>;
  memory(): MemoryReport;
  stats(): GpuStats;

  addEventListener<K extends keyof GpuEvents>(
    type: K,
    listener: (event: GpuEvents[K]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: AddEventListenerOptions | boolean,
  ): void;

  /**
   * Ends this Gpu: waits up to 2 s for recorded work, then rejects what is left with `ExecutionAborted`, reason
   * `"closed"`. Later calls are `InvalidProgram`, reason `"closed"`. Closing twice is the same as once.
   */
  close(): Promise<void>;
}

/** How a buffer is made. */
export interface BufferOptions {
  /** A name for error messages and for the browser's tools. */
  label?: string;
}

/**
 * Data on the GPU.
 *
 * @example
 * const x = gpu.buffer(Float32Array.of(1, 2, 3, 4));
 * x.fill(0, 2);
 * console.log(await x.read()); // Float32Array [1, 2, 0, 0]
 * x.destroy();
 */
export interface GpuBuffer<T extends DType = DType> extends Disposable {
  readonly dtype: T;
  /** In elements. */
  readonly length: number;
  readonly byteLength: number;
  readonly label: string;
  /** Resolves once the memory is there; rejects with the creation's error (out of memory, a limit). */
  readonly ready: Promise<this>;

  /**
   * Overwrites elements from `offset` (in elements) on; the bytes are taken now. Numbers are converted to the type.
   *
   * @throws `InvalidProgram`: another type, too much data, a detached array, a destroyed buffer.
   */
  write(data: ArrayLike<number> | ArrayBufferView, offset?: number): this;

  /** The elements from `start` to before `end` (default: all) in a fresh array. An empty range gives an empty array. */
  read(options?: RunOptions & { start?: number; end?: number }): Promise<TypedArrayOf<T>>;

  /** As {@link GpuBuffer.read}, into an array of yours; it saves the allocation. */
  readInto(dst: ArrayBufferView, options?: RunOptions & { start?: number; end?: number }): Promise<void>;

  /**
   * Copies the elements from `start` to before `end` (default: all) to `dst`, from its element `at` (default 0) on.
   *
   * @throws `InvalidProgram`: another type, a range outside of either buffer, a buffer of another Gpu.
   */
  copyTo(dst: GpuBuffer<T>, options?: { start?: number; end?: number; at?: number }): this;

  /** Sets the elements from `start` to before `end` (default: all) to one value. */
  fill(value: number, start?: number, end?: number): this;

  /**
   * A part of this buffer, to bind: the same memory, not a copy.
   *
   * @throws `InvalidProgram`, reason `"misaligned"`: `start` is not on the device's offset alignment; the message says
   *   which start would do.
   */
  subarray(start: number, end?: number): GpuBuffer<T>;

  /**
   * The `GPUBuffer` of this generation, to draw from without reading back. What was recorded reaches it at the end of the
   * task, so whoever draws in the same task awaits the dispatch or `flush()` before.
   */
  readonly gpuBuffer: object | undefined;

  /** Frees the memory after commands already recorded. Destroying twice is the same as once. */
  destroy(): void;
}

/** How a kernel is made. */
export interface KernelOptions {
  /** The `@compute` function; needed only where the source has several. */
  entryPoint?: string;
  /** Values of `override` constants, by name or `@id`. */
  constants?: Record<string, number | boolean>;
  /** A name for error messages and for the browser's tools. */
  label?: string;
  /** Milliseconds the compile may take; a dispatch has its own. */
  timeoutMs?: number;
}

/** A WGSL entry point, with its arguments by variable name. */
export interface Kernel extends Disposable {
  /** Resolves once compiled; rejects `KernelCompileFailed` with line, column and the source line in `context`. */
  readonly ready: Promise<this>;
  readonly bindings: readonly {
    readonly name: string;
    readonly group: number;
    readonly binding: number;
    readonly space: "storage" | "uniform";
    readonly access: "read" | "read_write";
    readonly type: string;
  }[];
  readonly workgroupSize: readonly [number, number, number];

  /**
   * Uploads, dispatches, and reads back every `out()` and `inout()`. Their arrays come back under their names, and
   * `info` beside them.
   *
   * @throws Rejects `InvalidProgram` (a missing, unknown or mistyped argument, a limit), `KernelCompileFailed`,
   *   `DispatchFailed`, `DeviceOutOfMemory`, `ExecutionAborted`.
   * @example
   * const { y, info } = await kernel.run({ x: Float32Array.of(1, 4, 9), y: out("f32", 3) });
   */
  run<A extends Args>(args: A, options?: RunOptions & Grid): Promise<Outputs<A> & { info: RunInfo }>;

  /**
   * Runs on buffers and leaves the results on the GPU. Resolves when nothing about it can be refused any more; with
   * `timing` or `timeoutMs` when the GPU has finished.
   */
  dispatch(args: Args, options?: RunOptions & Grid): Promise<RunInfo>;

  /**
   * The kernel with its arguments checked and bound once, for loops and ping-pong pairs.
   *
   * @throws `InvalidProgram`, as `dispatch` rejects it.
   */
  bind(args: Args): BoundKernel;

  /** Destroying twice is the same as once. */
  destroy(): void;
}

/** A kernel with bound arguments. */
export interface BoundKernel {
  dispatch(options?: RunOptions & Grid): Promise<RunInfo>;
}

/** Records the entries of one batch. Usable only inside `record`; each method throws `InvalidProgram` at once. */
export interface Batch {
  dispatch(kernel: Kernel, args: Args, grid?: Grid): void;
  dispatch(kernel: BoundKernel, grid?: Grid): void;
  write(buffer: GpuBuffer, data: ArrayBufferView, offset?: number): void;
  copy(src: GpuBuffer, dst: GpuBuffer): void;
  /** Calls `body` `n` times, with 0 to n - 1. */
  repeat(n: number, body: (i: number) => void): void;
  /** The contents at this point of the batch. */
  read<T extends DType>(buffer: GpuBuffer<T>): Promise<TypedArrayOf<T>>;
}

/** An expression over one array: called, it gives a fresh array; `into` leaves the result in a buffer. */
export interface ElementwiseKernel {
  (x: Int32Array): Promise<Int32Array<ArrayBuffer>>;
  (x: Uint32Array): Promise<Uint32Array<ArrayBuffer>>;
  (x: Float32Array | readonly number[]): Promise<Float32Array<ArrayBuffer>>;
  <T extends DType>(x: GpuBuffer<T>): Promise<TypedArrayOf<T>>;
  (x: Data): Promise<TypedArrayOf<DType>>;
  into(dst: GpuBuffer, x: Data): Promise<RunInfo>;
}
