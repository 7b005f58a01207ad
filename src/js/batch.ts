import { checkBuffer } from "./buffer.js";
import { checkCount, invalid, misused } from "./check.js";
import { ComputeError, computeError } from "./compute_error.js";
import type { Batch, BoundKernel, GpuBuffer, Kernel } from "./contract.js";
import { checkAttached, checkClass, ELEMENTS, typedArray } from "./data.js";
import type { GpuHandle } from "./gpu.js";
import { gridOf } from "./grid.js";
import type { Core } from "./instance.js";
import { BoundHandle, KernelHandle, type Ran } from "./kernel.js";
import { type Launch, launchOf } from "./launch.js";
import { aborted, refused } from "./settle.js";
import type { Args, BatchResult, DType, Grid, RunOptions, TypedArrayOf } from "./types.js";

const LABEL = "batch()";

/** A batch, recorded. */
interface Recorded {
  readonly launch: Launch;
  readonly reads: readonly Read[];
  readonly returned: unknown;
}

/** A read of a batch, to be answered when the batch is. */
interface Read {
  readonly index: number;
  readonly dtype: DType;
  resolve(data: ArrayBufferView): void;
  reject(reason: unknown): void;
}

/** Records what the user's function says, and sends it as one call. */
export function createBatch<R>(
  gpu: GpuHandle,
  record: (batch: Batch) => R,
  options: RunOptions | undefined,
): Promise<BatchResult<R>> {
  let launch: Launch;
  let recorder: Recorder;
  try {
    const core = gpu.enter("dispatch", LABEL);
    if (typeof record !== "function") throw invalid("dispatch", "record", "a function", record);
    launch = launchOf(options, gpu.plain, "dispatch");
    core.batch_begin(launch.label);
    recorder = new Recorder(gpu, core);
  } catch (thrown) {
    return refused(gpu, gpu.caught(thrown, "dispatch"));
  }

  const returned = recorder.record(record);
  const { signal } = launch;
  if (signal?.aborted) recorder.refuse(aborted("dispatch", LABEL, signal.reason), signal.reason);
  if (recorder.refusal) {
    const { error, reason } = recorder.refusal;
    recorder.cancel();
    for (const read of recorder.reads) read.reject(reason);
    return refused(gpu, error, reason);
  }

  const { reads } = recorder;
  const call = gpu.later("dispatch", LABEL, () => ({ launch, reads, returned }), sendBatch, resultOf<R>);
  gpu.recorded();
  // The reads share the fate of the call; whether anybody looked at the failure is asked of the call alone.
  Promise.prototype.then.call(call, undefined, (reason) => reads.forEach((read) => read.reject(reason)));
  return call as Promise<BatchResult<R>>;
}

function sendBatch(core: Core, call: number, { launch }: Recorded): void {
  core.batch_end(call, launch.flags);
}

/** Answers the reads, and then gives what the user's function returned, its promises replaced by their values. */
function resultOf<R>({ results }: Ran, { reads, returned }: Recorded): BatchResult<R> {
  for (const { index, dtype, resolve } of reads) resolve(typedArray(dtype, results![index]!));
  return awaited(returned) as BatchResult<R>;
}

function awaited(returned: unknown): unknown {
  if (typeof returned !== "object" || returned === null || returned instanceof Promise) return returned;
  if (Array.isArray(returned)) return Promise.all(returned);
  if (Object.getPrototypeOf(returned) !== Object.prototype) return returned;
  const names = Object.keys(returned);
  return Promise.all(Object.values(returned)).then((values: unknown[]) =>
    Object.fromEntries(values.map((value, index) => [names[index]!, value])),
  );
}

/** What the user's function records with. Once an entry is refused, the batch is: nothing more goes into it. */
class Recorder implements Batch {
  readonly reads: Read[] = [];
  refusal: { error: ComputeError; reason: unknown } | undefined;
  readonly #gpu: GpuHandle;
  readonly #core: Core;
  #isOpen = true;
  #entries = 0;

  constructor(gpu: GpuHandle, core: Core) {
    this.#gpu = gpu;
    this.#core = core;
  }

  /** Runs the user's function. What it throws by itself is handed on unchanged, and not judged. */
  record<R>(record: (batch: Batch) => R): R | undefined {
    try {
      return this.#gpu.recording(() => record(this));
    } catch (thrown) {
      const problem = "the function given to batch() threw";
      const error = ComputeError.is(thrown)
        ? thrown
        : computeError("unclassified", "dispatch", { problem }, { cause: thrown });
      this.refuse(error, thrown);
      return undefined;
    } finally {
      this.#isOpen = false;
    }
  }

  refuse(error: ComputeError, reason: unknown = error): void {
    this.refusal ??= { error, reason };
  }

  /** Forgets everything recorded. */
  cancel(): void {
    if (!this.#gpu.poisoned) this.#core.batch_cancel();
    this.#gpu.recorded();
  }

  dispatch(kernel: Kernel | BoundKernel, args?: Args | Grid, grid?: Grid): void {
    this.#entry((core) => {
      if (kernel instanceof BoundHandle) {
        const id = kernel.idFor(this.#gpu);
        const { kind, x, y, z } = gridOf(args, this.#gpu);
        core.batch_dispatch_bound(id, kind, x, y, z);
      } else if (kernel instanceof KernelHandle) {
        const id = kernel.idFor(this.#gpu);
        const { kind, x, y, z } = gridOf(grid, this.#gpu);
        const { shape, ids, values } = kernel.prepare(core, args as Args);
        core.batch_dispatch(id, shape, ids, values, kind, x, y, z);
      } else {
        throw invalid("dispatch", "kernel", "a kernel or a bound kernel", kernel);
      }
    });
  }

  write(buffer: GpuBuffer, data: ArrayBufferView, offset = 0): void {
    this.#entry((core) => {
      checkBuffer("dispatch", "buffer", buffer);
      if (!ArrayBuffer.isView(data)) throw invalid("dispatch", "data", "a typed array or a DataView", data);
      checkAttached("dispatch", "data", data);
      checkClass(data, ELEMENTS[buffer.dtype].scalar, "dispatch", "data");
      checkCount("dispatch", "offset", offset);
      core.batch_write(buffer.idFor(this.#gpu, "dispatch"), data, offset);
    });
  }

  copy(src: GpuBuffer, dst: GpuBuffer): void {
    this.#entry((core) => {
      checkBuffer("dispatch", "src", src);
      checkBuffer("dispatch", "dst", dst);
      if (src.dtype !== dst.dtype) throw misused("dispatch", "dst", `a buffer of ${src.dtype}`, dst.dtype);
      core.batch_copy(src.idFor(this.#gpu, "dispatch"), dst.idFor(this.#gpu, "dispatch"));
    });
  }

  repeat(n: number, body: (i: number) => void): void {
    checkCount("dispatch", "n", n);
    if (typeof body !== "function") throw invalid("dispatch", "body", "a function", body);
    for (let i = 0; i < n; i++) body(i);
  }

  read<T extends DType>(buffer: GpuBuffer<T>): Promise<TypedArrayOf<T>> {
    return this.#entry((core) => {
      checkBuffer("dispatch", "buffer", buffer);
      const index = core.batch_read(buffer.idFor(this.#gpu, "dispatch"));
      const promise = new Promise<TypedArrayOf<T>>((resolve, reject) => {
        this.reads.push({ index, dtype: buffer.dtype, resolve: resolve as Read["resolve"], reject });
      });
      promise.catch(() => {});
      return promise;
    });
  }

  #entry<R>(body: (core: Core) => R): R {
    if (!this.#isOpen) throw misused("dispatch", "a batch", "used inside of its function", "used after it");
    if (this.refusal) throw this.refusal.error;
    try {
      const result = body(this.#core);
      this.#entries += 1;
      return result;
    } catch (thrown) {
      this.refuse(indexed(this.#gpu.caught(thrown, "dispatch"), this.#entries));
      throw this.refusal!.error;
    }
  }
}

/** The error, with the entry of the batch that it is about. */
function indexed(error: ComputeError, index: number): ComputeError {
  if ("index" in error.context || error.code === "PoisonedLock") return error;
  const data = error.toJSON();
  return new ComputeError({ ...data, context: { ...data.context, index } }, { cause: error.cause });
}
