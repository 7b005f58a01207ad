import { argumentOf, type Output } from "./arguments.js";
import { BufferHandle } from "./buffer.js";
import { checkMilliseconds, checkOptions, checkString, invalid } from "./check.js";
import { computeError } from "./compute_error.js";
import type { BoundKernel, Kernel, KernelOptions } from "./contract.js";
import type { Scalar } from "./data.js";
import type { GpuHandle } from "./gpu.js";
import { type Dispatch, dispatchOf } from "./grid.js";
import type { Core } from "./instance.js";
import { plainLaunch } from "./launch.js";
import { MAX_TIMER_MS } from "./settle.js";
import { dispose } from "./symbols.js";
import type { Args, Grid, Outputs, RunInfo, RunOptions } from "./types.js";

/** What wasm knows of a kernel. `scalar` is empty where a binding's data mixes types. */
export interface KernelInfo {
  label: string;
  bindings: (Kernel["bindings"][number] & { scalar: Scalar | "" })[];
  workgroupSize: [number, number, number];
}

/** The arguments of a call, as wasm takes them. */
export interface Prepared {
  readonly shape: number;
  readonly ids: Uint32Array;
  readonly values: unknown[] | undefined;
  readonly outputs: readonly Output[];
}

/** The names of a call in their order, and the array its buffers' numbers go into: one for all calls of this shape. */
interface Shape extends Prepared {
  readonly names: readonly string[];
}

/** A call of a kernel, ready for wasm. */
export interface Launching extends Prepared, Dispatch {
  readonly id: number;
}

/** What wasm answers a call with. */
export interface Ran {
  generation: number;
  attempts: number;
  wallMs?: number;
  gpuNs?: number;
  results?: ArrayBuffer[];
}

const NO_OUTPUTS: readonly Output[] = [];

/** The compile has a bound of its own. */
const UNBOUNDED = plainLaunch(Infinity);

const KERNEL_OPTIONS = {
  entryPoint: checkString,
  constants: checkConstants,
  label: checkString,
  timeoutMs: checkMilliseconds,
} as const;

function checkConstants(operation: "compile", name: string, value: unknown): void {
  if (typeof value !== "object" || value === null)
    throw invalid(operation, name, "an object of numbers by name", value);
  for (const [constant, given] of Object.entries(value)) {
    if (typeof given !== "number" && typeof given !== "boolean") {
      throw invalid(operation, `the constant \`${constant}\``, "a number or a boolean", given);
    }
  }
}

/** Makes the kernel a user asked for. */
export function createKernel(gpu: GpuHandle, core: Core, wgsl: string, options: KernelOptions = {}): KernelHandle {
  checkString("compile", "wgsl", wgsl);
  checkOptions("compile", options, KERNEL_OPTIONS as never);
  const { entryPoint, constants = {}, label, timeoutMs = gpu.plain.timeoutMs } = options;
  const flat = Object.entries(constants).flatMap(([name, value]) => [name, Number(value)]);
  const id = core.kernel(wgsl, entryPoint, flat, label);
  const kernel = new KernelHandle(gpu, id, core.kernel_info(id) as KernelInfo);
  gpu.own(kernel, "destroy_kernel", id);
  // Gives up on the compile after this time; to one that has ended it does nothing.
  if (timeoutMs <= MAX_TIMER_MS) setTimeout(() => gpu.expireKernel(id, timeoutMs), timeoutMs);
  return kernel;
}

export class KernelHandle implements Kernel {
  readonly gpu: GpuHandle;
  readonly label: string;
  readonly bindings: Kernel["bindings"];
  readonly workgroupSize: readonly [number, number, number];
  readonly #id: number;
  readonly #scalars: ReadonlyMap<string, Scalar | "">;
  readonly #shapes = new Map<string, Shape>();
  /** The shape of the last call: nearly always that of the next one. */
  #recent: Shape | undefined;
  #isDestroyed = false;
  #ready: Promise<this> | undefined;

  constructor(gpu: GpuHandle, id: number, { label, bindings, workgroupSize }: KernelInfo) {
    this.gpu = gpu;
    this.label = label;
    this.bindings = Object.freeze(bindings.map(({ scalar: _, ...binding }) => Object.freeze(binding)));
    this.workgroupSize = Object.freeze(workgroupSize);
    this.#id = id;
    const storage = bindings.filter(({ space }) => space === "storage");
    this.#scalars = new Map(storage.map(({ name, scalar }) => [name, scalar]));
  }

  get ready(): Promise<this> {
    this.#ready ??= this.gpu.later(
      "compile",
      this.label,
      () => ({ launch: UNBOUNDED, id: this.idFor(this.gpu) }),
      (core, call, { id }) => core.kernel_ready(call, id),
      () => this,
    );
    return this.#ready;
  }

  /** Its number, for a use by this Gpu. */
  idFor(gpu: GpuHandle): number {
    if (this.gpu !== gpu) throw this.gpu.poisoned ?? computeError("foreign", "dispatch", { label: this.label });
    if (this.#isDestroyed) throw computeError("destroyed", "dispatch", { label: this.label });
    return this.#id;
  }

  run<A extends Args>(args: A, options?: RunOptions & Grid): Promise<Outputs<A> & { info: RunInfo }> {
    return this.gpu.later("dispatch", this.label, (core) => this.launching(core, args, options), sendRun, resultsOf<A>);
  }

  dispatch(args: Args, options?: RunOptions & Grid): Promise<RunInfo> {
    return this.gpu.later("dispatch", this.label, (core) => this.launching(core, args, options), sendDispatch, infoOf);
  }

  /** A call of this kernel, checked. */
  launching(core: Core, args: Args, options: object | undefined): Launching {
    const id = this.idFor(this.gpu);
    const { launch, grid } = dispatchOf(options, this.gpu);
    const { shape, ids, values, outputs } = this.prepare(core, args);
    return { id, launch, grid, shape, ids, values, outputs };
  }

  bind(args: Args): BoundKernel {
    return this.gpu.now("dispatch", this.label, (core) => {
      const kernel = this.idFor(this.gpu);
      const { shape, ids, values } = this.prepare(core, args);
      const buffers = Object.values(args).filter((value) => value instanceof BufferHandle);
      return new BoundHandle(this, core.bind(kernel, shape, ids, values), buffers);
    });
  }

  /** The arguments as wasm takes them. Where all are buffers, nothing is made for it. */
  prepare(core: Core, args: Args): Prepared {
    const shape = this.#shapeOf(core, args);
    const { names, ids } = shape;
    let values: unknown[] | undefined;
    let outputs = NO_OUTPUTS as Output[];
    for (let index = 0; index < names.length; index++) {
      const name = names[index]!;
      const value: unknown = args[name];
      if (value instanceof BufferHandle) {
        ids[index] = value.idFor(this.gpu, "dispatch");
        continue;
      }
      ids[index] = 0;
      const { given, output } = argumentOf(name, value, this.#scalars.get(name));
      (values ??= new Array<unknown>(names.length))[index] = given;
      if (output) outputs = [...outputs, output];
    }
    return values ? { shape: shape.shape, ids, values, outputs } : shape;
  }

  #shapeOf(core: Core, args: Args): Shape {
    if (typeof args !== "object" || args === null)
      throw invalid("dispatch", "args", "an object of arguments by name", args);
    const recent = this.#recent;
    if (recent && hasNames(args, recent.names)) return recent;

    const names = Object.keys(args);
    const key = JSON.stringify(names);
    let shape = this.#shapes.get(key);
    if (!shape) {
      const ids = new Uint32Array(names.length);
      shape = { names, shape: core.shape(this.#id, names), ids, values: undefined, outputs: NO_OUTPUTS };
      this.#shapes.set(key, shape);
    }
    this.#recent = shape;
    return shape;
  }

  destroy(): void {
    if (this.#isDestroyed) return;
    this.#isDestroyed = true;
    this.gpu.disown(this, "destroy_kernel", this.#id);
  }

  [dispose](): void {
    this.destroy();
  }

  get [Symbol.toStringTag](): string {
    return "Kernel";
  }
}

/** Whether these are the names of the arguments, in their order. Allocates nothing. */
function hasNames(args: Args, names: readonly string[]): boolean {
  let index = 0;
  for (const name in args) if (name !== names[index++]) return false;
  return index === names.length;
}

/** A kernel with its arguments, by the number wasm knows them under. */
export class BoundHandle implements BoundKernel {
  readonly kernel: KernelHandle;
  readonly #id: number;
  readonly #buffers: readonly BufferHandle[];

  constructor(kernel: KernelHandle, id: number, buffers: readonly BufferHandle[]) {
    this.kernel = kernel;
    this.#id = id;
    this.#buffers = buffers;
    kernel.gpu.own(this, "destroy_bound", id);
  }

  /** Its number, for a use by this Gpu. */
  idFor(gpu: GpuHandle): number {
    this.kernel.idFor(gpu);
    for (const buffer of this.#buffers) buffer.idFor(gpu, "dispatch");
    return this.#id;
  }

  dispatch(options?: RunOptions & Grid): Promise<RunInfo> {
    const { gpu, label } = this.kernel;
    return gpu.later(
      "dispatch",
      label,
      () => ({ id: this.idFor(gpu), ...dispatchOf(options, gpu) }),
      (core, call, { id, grid, launch }) =>
        core.dispatch_bound(call, id, grid.kind, grid.x, grid.y, grid.z, launch.flags, launch.label),
      infoOf,
    );
  }
}

/** Read the outputs: the flag that makes a dispatch a run. */
const READS_OUTPUTS = 4;

export function sendRun(core: Core, call: number, { id, shape, ids, values, grid, launch }: Launching): void {
  const flags = launch.flags | READS_OUTPUTS;
  core.dispatch(call, id, shape, ids, values, grid.kind, grid.x, grid.y, grid.z, flags, launch.label);
}

export function sendDispatch(core: Core, call: number, { id, shape, ids, values, grid, launch }: Launching): void {
  core.dispatch(call, id, shape, ids, values, grid.kind, grid.x, grid.y, grid.z, launch.flags, launch.label);
}

export function infoOf({ generation, attempts, wallMs, gpuNs }: Ran): RunInfo {
  if (wallMs === undefined) return { generation, attempts };
  if (gpuNs === undefined) return { generation, attempts, timing: { wallMs, source: "wall" } };
  return { generation, attempts, timing: { gpuNs, wallMs, source: "timestamp-query" } };
}

function resultsOf<A extends Args>(ran: Ran, { outputs }: Launching): Outputs<A> & { info: RunInfo } {
  const results: Record<string, unknown> = {};
  outputs.forEach(({ name, viewOf }, index) => (results[name] = viewOf(ran.results![index]!)));
  results["info"] = infoOf(ran);
  return results as Outputs<A> & { info: RunInfo };
}
