import { checkCount, checkOptions, checkString, invalid, misused } from "./check.js";
import { computeError, type Operation } from "./compute_error.js";
import type { BufferOptions, GpuBuffer } from "./contract.js";
import {
  checkAttached,
  checkClass,
  checkNumber,
  type Contents,
  ELEMENTS,
  contentsOf,
  typedArray,
  viewOf,
} from "./data.js";
import type { GpuHandle } from "./gpu.js";
import type { Core } from "./instance.js";
import { type Check, launchOf, RUN_OPTIONS } from "./launch.js";
import { dispose } from "./symbols.js";
import type { DType, RunOptions, TypedArrayOf } from "./types.js";

type Range = { start?: number; end?: number };

const RANGE: Readonly<Record<string, Check>> = { start: checkCount, end: checkCount };
const READ_OPTIONS = { ...RUN_OPTIONS, ...RANGE };
const COPY_OPTIONS = { ...RANGE, at: checkCount };

/** Makes the buffer a user asked for. */
export function createBuffer(gpu: GpuHandle, core: Core, src: unknown, options: BufferOptions = {}): BufferHandle {
  checkOptions("upload", options, { label: checkString });
  const label = options.label ?? gpu.nextLabel("buffer");
  const contents = contentsOf(src, label);
  const id = core.buffer(contents.dtype, contents.length, label);
  const buffer = new BufferHandle(gpu, id, contents, label);
  if (contents.data) {
    try {
      core.write(id, contents.data, 0);
    } catch (error) {
      buffer.destroy();
      throw error;
    }
  }
  return buffer;
}

/** A buffer, or a part of one, by the number wasm knows it under. */
export class BufferHandle<T extends DType = DType> implements GpuBuffer<T> {
  readonly dtype: T;
  readonly length: number;
  readonly label: string;
  readonly gpu: GpuHandle;
  readonly #id: number;
  /** The buffer this is a part of. */
  readonly #whole: BufferHandle<T> | undefined;
  #isDestroyed = false;
  #ready: Promise<this> | undefined;

  constructor(gpu: GpuHandle, id: number, { dtype, length }: Contents, label: string, whole?: BufferHandle<T>) {
    this.gpu = gpu;
    this.dtype = dtype as T;
    this.length = length;
    this.label = label;
    this.#id = id;
    this.#whole = whole;
    gpu.own(this, "destroy_buffer", id);
  }

  get byteLength(): number {
    return this.length * ELEMENTS[this.dtype].bytes;
  }

  get ready(): Promise<this> {
    this.#ready ??= this.gpu.later(
      "upload",
      this.label,
      () => ({ launch: this.gpu.plain, id: this.idFor(this.gpu, "upload") }),
      (core, call, { id }) => core.buffer_ready(call, id),
      () => this,
    );
    return this.#ready;
  }

  /** Its number, for a use by this Gpu. */
  idFor(gpu: GpuHandle, operation: Operation): number {
    if (this.gpu !== gpu) throw this.gpu.poisoned ?? computeError("foreign", operation, { label: this.label });
    if (this.#isGone) throw computeError("destroyed", operation, { label: this.label });
    return this.#id;
  }

  get #isGone(): boolean {
    return this.#isDestroyed || (this.#whole !== undefined && this.#whole.#isDestroyed);
  }

  write(data: ArrayLike<number> | ArrayBufferView, offset = 0): this {
    this.gpu.now("upload", this.label, (core) => {
      checkCount("upload", "offset", offset);
      const view = viewOf(data, this.dtype, "upload", "data");
      core.write(this.idFor(this.gpu, "upload"), view, offset);
    });
    return this;
  }

  read(options?: RunOptions & Range): Promise<TypedArrayOf<T>> {
    return this.gpu.later(
      "read",
      this.label,
      () => this.#reading(options),
      (core, call, { id, start, end }) => core.read(call, id, start, end),
      (bytes: ArrayBuffer, { dtype }) => typedArray(dtype, bytes),
    );
  }

  readInto(dst: ArrayBufferView, options?: RunOptions & Range): Promise<void> {
    return this.gpu.later(
      "read",
      this.label,
      () => {
        if (!ArrayBuffer.isView(dst)) throw invalid("read", "dst", "a typed array or a DataView", dst);
        checkAttached("read", "dst", dst);
        checkClass(dst, ELEMENTS[this.dtype].scalar, "read", "dst");
        return this.#reading(options);
      },
      (core, call, { id, start, end }) => core.read_into(call, id, dst, start, end),
      () => undefined,
    );
  }

  #reading(options: (RunOptions & Range) | undefined) {
    const launch = launchOf(options, this.gpu.plain, "read", READ_OPTIONS);
    return { launch, id: this.idFor(this.gpu, "read"), dtype: this.dtype, start: options?.start, end: options?.end };
  }

  copyTo(dst: GpuBuffer<T>, options: Range & { at?: number } = {}): this {
    this.gpu.now("dispatch", this.label, (core) => {
      checkOptions("dispatch", options, COPY_OPTIONS);
      checkBuffer("dispatch", "dst", dst);
      if (dst.dtype !== this.dtype) throw misused("dispatch", "dst", `a buffer of ${this.dtype}`, dst.dtype);
      const { start, end, at } = options;
      core.copy(this.idFor(this.gpu, "dispatch"), dst.idFor(this.gpu, "dispatch"), start, end, at);
    });
    return this;
  }

  fill(value: number, start?: number, end?: number): this {
    this.gpu.now("dispatch", this.label, (core) => {
      checkNumber("dispatch", "value", value, ELEMENTS[this.dtype].scalar);
      if (start !== undefined) checkCount("dispatch", "start", start);
      if (end !== undefined) checkCount("dispatch", "end", end);
      core.fill(this.idFor(this.gpu, "dispatch"), value, start, end);
    });
    return this;
  }

  subarray(start: number, end?: number): GpuBuffer<T> {
    return this.gpu.now("upload", this.label, (core) => {
      checkCount("upload", "start", start);
      if (end !== undefined) checkCount("upload", "end", end);
      const id = core.subarray(this.idFor(this.gpu, "upload"), start, end);
      const contents = { dtype: this.dtype, length: core.buffer_length(id) };
      return new BufferHandle<T>(this.gpu, id, contents, this.label, this.#whole ?? this);
    });
  }

  get gpuBuffer(): object | undefined {
    if (this.#isGone || !this.gpu.isUsable) return undefined;
    return this.gpu.now("read", this.label, (core) => core.gpu_buffer(this.#id) as object | undefined);
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.gpu.disown(this, "destroy_buffer", this.#id);
  }

  [dispose](): void {
    this.destroy();
  }

  get [Symbol.toStringTag](): string {
    return "GpuBuffer";
  }
}

export function checkBuffer(operation: Operation, argument: string, x: unknown): asserts x is BufferHandle {
  if (!(x instanceof BufferHandle)) throw invalid(operation, argument, "a GpuBuffer", x);
}
