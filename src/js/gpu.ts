import { createBatch } from "./batch.js";
import { type BufferHandle, createBuffer } from "./buffer.js";
import { checkString, misused } from "./check.js";
import { type ComputeError, computeError, type Operation } from "./compute_error.js";
import type {
  AcquireOptions,
  Batch,
  BufferOptions,
  ElementwiseKernel,
  Gpu,
  GpuStats,
  KernelOptions,
  MemoryReport,
} from "./contract.js";
import { createElementwise } from "./elementwise.js";
import { type Dispatch, FROM_FIRST_OUTPUT } from "./grid.js";
import type { Core, Instance, Resident } from "./instance.js";
import { createKernel, type KernelHandle } from "./kernel.js";
import { type Launch, launchOf, plainLaunch } from "./launch.js";
import { aborted, type Call, isTold, Pending, refused, tell } from "./settle.js";
import { asyncDispose } from "./symbols.js";
import type { BatchResult, GPUDeviceLike, RunOptions } from "./types.js";

/** How wasm is told that a handle is not used any more. */
type Release = "destroy_buffer" | "destroy_kernel" | "destroy_bound";

/** Destroys what a user dropped without destroying it: in wasm a number would keep it for ever. */
const dropped = new FinalizationRegistry<{ gpu: GpuHandle; release: Release; id: number }>(({ gpu, release, id }) => {
  try {
    gpu.release(release, id);
  } catch (error) {
    gpu.uncaptured(error as ComputeError);
  }
});

/** A Gpu, by its core in one wasm instance. Everything that is asked of the core goes through `now` or `later`. */
export class GpuHandle extends EventTarget implements Gpu, Resident {
  readonly info: Gpu["info"];
  readonly limits: Gpu["limits"];
  readonly features: ReadonlySet<string>;
  /** What a call without options does. */
  readonly plain: Launch;
  readonly plainDispatch: Dispatch;
  readonly #instance: Instance;
  readonly #core: Core;
  readonly #number: number;
  readonly #errors: Record<number, number> = {};
  #generation: number;
  #labels = 0;
  #isRecording = false;
  /** Destroyed while a batch was recorded, when the core takes nothing else. */
  #releases: [Release, number][] = [];
  #closing: Promise<void> | undefined;
  /** What the core said last, once it is gone. */
  #final: { memory: MemoryReport; stats: GpuStats } | undefined;

  constructor(instance: Instance, core: Core, number: number, options: AcquireOptions) {
    super();
    this.#instance = instance;
    this.#core = core;
    this.#number = number;
    this.info = Object.freeze(core.info() as Gpu["info"]);
    this.limits = Object.freeze(core.limits() as Record<string, number>);
    this.features = new Set(core.features() as string[]);
    this.#generation = core.generation();
    this.plain = plainLaunch(options.timeoutMs ?? Infinity);
    this.plainDispatch = { launch: this.plain, grid: FROM_FIRST_OUTPUT };
    instance.residents.set(number, new WeakRef(this));
  }

  // ---- what it tells

  get state(): Gpu["state"] {
    if (this.#closing) return "closed";
    return this.poisoned ? "failed" : (this.#core.state() as Gpu["state"]);
  }

  get generation(): number {
    if (this.isUsable) this.#generation = this.#core.generation();
    return this.#generation;
  }

  get device(): GPUDeviceLike | undefined {
    return this.isUsable ? (this.#core.device() as GPUDeviceLike | undefined) : undefined;
  }

  memory(): MemoryReport {
    return this.#final?.memory ?? this.#told(() => ({ ...this.#core.memory(), wasmBytes: this.#instance.wasmBytes }));
  }

  stats(): GpuStats {
    return this.#final?.stats ?? this.#told(() => ({ ...this.#core.stats(), routes: {}, errors: { ...this.#errors } }));
  }

  /** Asks the core for a report, which is possible until it is gone. */
  #told<R>(report: () => R): R {
    if (this.poisoned) throw this.poisoned;
    return report();
  }

  // ---- what it makes and does

  buffer(src: unknown, options?: BufferOptions): BufferHandle<never> {
    return this.now("upload", "buffer()", (core) => createBuffer(this, core, src, options)) as BufferHandle<never>;
  }

  kernel(wgsl: string, options?: KernelOptions): KernelHandle {
    return this.now("compile", "kernel()", (core) => createKernel(this, core, wgsl, options));
  }

  elementwise(expr: string): ElementwiseKernel {
    return this.now("compile", "elementwise()", () => {
      checkString("compile", "expr", expr);
      return createElementwise(this, expr);
    });
  }

  batch<R>(record: (batch: Batch) => R, options?: RunOptions): Promise<BatchResult<R>> {
    return createBatch(this, record, options);
  }

  flush(options?: RunOptions): Promise<void> {
    return this.later(
      "dispatch",
      "flush()",
      () => ({ launch: launchOf(options, this.plain, "dispatch") }),
      (core, call) => core.flush(call),
      () => undefined,
    );
  }

  close(): Promise<void> {
    if (this.#closing) return this.#closing;
    if (this.poisoned) return (this.#closing = Promise.resolve());
    const call = this.later(
      "dispatch",
      "close()",
      () => ({ launch: plainLaunch(Infinity) }),
      (core, call) => core.close(call),
      () => undefined,
    );
    // Inside of a batch it is refused, and nothing closes.
    if (this.#isRecording) return call;
    // Ahead of whoever awaits the call, and not in wasm's own call of `resolve`: the core is freed here.
    Promise.prototype.then.call(
      call,
      () => this.#end(),
      () => {},
    );
    return (this.#closing = call);
  }

  #end(): void {
    this.#instance.residents.delete(this.#number);
    this.#notify((core) => {
      this.#final = { memory: this.memory(), stats: this.stats() };
      core.free();
    });
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  get [Symbol.toStringTag](): string {
    return "Gpu";
  }

  // ---- how its handles reach the core

  get poisoned(): ComputeError | undefined {
    return this.#instance.poisoned;
  }

  get isUsable(): boolean {
    return !this.#closing && !this.poisoned;
  }

  /** A label for a handle that was given none. */
  nextLabel(kind: string): string {
    return `${kind} ${++this.#labels}`;
  }

  /** Does it now; what goes wrong is thrown. */
  now<R>(operation: Operation, label: string, body: (core: Core) => R): R {
    try {
      return body(this.enter(operation, label));
    } catch (thrown) {
      const error = this.caught(thrown, operation);
      this.failed(error);
      tell(error);
      throw error;
    }
  }

  /**
   * Does it as a call: `prepare` checks, `send` gives it to the core, `finish` makes the user's value of the core's.
   * What goes wrong, wherever it does, rejects the call.
   */
  later<P extends { readonly launch: Launch }, T>(
    operation: Operation,
    label: string,
    prepare: (core: Core) => P,
    send: (core: Core, call: number, prepared: P) => void,
    finish: (value: never, prepared: P) => T,
  ): Call<T> {
    let pending: Pending<T, P> | undefined;
    try {
      const core = this.enter(operation, label);
      const prepared = prepare(core);
      const { launch } = prepared;
      const { signal } = launch;
      if (signal?.aborted) return refused(this, aborted(operation, label, signal.reason), signal.reason);
      pending = new Pending(this.#instance.calls, this, launch, operation, launch.label ?? label, finish, prepared);
      send(core, pending.call, prepared);
      return pending.promise;
    } catch (thrown) {
      const error = this.caught(thrown, operation);
      if (!pending) return refused(this, error);
      this.#instance.calls.reject(pending.call, error);
      return pending.promise;
    }
  }

  /** The core, if it can be used now. */
  enter(operation: Operation, label: string): Core {
    if (this.poisoned) throw this.poisoned;
    if (this.#closing) throw computeError("closed", operation, { label });
    if (this.#isRecording) throw misused(operation, label, "used outside of batch()'s function", "used inside it");
    return this.#core;
  }

  /** What the core or a check threw, as the error to hand on. */
  caught(thrown: unknown, operation: Operation): ComputeError {
    return this.#instance.caught(thrown, operation);
  }

  /** Lets `record` use the core for one batch, and nobody else. */
  recording<R>(record: () => R): R {
    this.#isRecording = true;
    try {
      return record();
    } finally {
      this.#isRecording = false;
    }
  }

  /** Frees what was destroyed while a batch was recorded. */
  recorded(): void {
    const releases = this.#releases;
    this.#releases = [];
    for (const [release, id] of releases) this.release(release, id);
  }

  // ---- who owns what

  /** The handle is the only one to know this number. */
  own(handle: object, release: Release, id: number): void {
    dropped.register(handle, { gpu: this, release, id }, handle);
  }

  disown(handle: object, release: Release, id: number): void {
    dropped.unregister(handle);
    this.release(release, id);
  }

  release(release: Release, id: number): void {
    // A poisoned instance took everything with it, and a closed Gpu is freed as a whole.
    if (!this.isUsable) return;
    if (this.#isRecording) {
      this.#releases.push([release, id]);
      return;
    }
    this.now("upload", release, (core) => core[release](id));
  }

  // ---- what it hears

  cancel(call: number, error: ComputeError): void {
    this.#notify((core) => core.cancel(call, error));
  }

  /** The time of a compile is over; wasm lets the kernel fail. */
  expireKernel(kernel: number, timeoutMs: number): void {
    this.#notify((core) => core.expire_kernel(kernel, timeoutMs));
  }

  /** Tells the core something that nobody waits for. If it panics at that, its pending calls say so. */
  #notify(notice: (core: Core) => void): void {
    if (this.poisoned || this.#final) return;
    try {
      notice(this.#core);
    } catch (thrown) {
      this.uncaptured(this.caught(thrown, "dispatch"));
    }
  }

  failed({ stableId }: ComputeError): void {
    this.#errors[stableId] = (this.#errors[stableId] ?? 0) + 1;
  }

  uncaptured(error: ComputeError): void {
    const event = new CustomEvent("uncaptured", { detail: { error }, cancelable: true });
    if (this.dispatchEvent(event)) console.error(error);
  }

  emitted(type: string, detail: object): void {
    if (type !== "uncaptured") {
      this.dispatchEvent(new CustomEvent(type, { detail }));
      return;
    }
    const { error } = detail as { error: ComputeError };
    if (isTold(error)) return;
    tell(error);
    this.failed(error);
    this.uncaptured(error);
  }
}
