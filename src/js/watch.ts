import { classified } from "./classify.js";
import { checkOptions, checkSignal, checkString, invalid } from "./check.js";
import type { ComputeError, Operation } from "./compute_error.js";
import type { Watch } from "./contract.js";
import { dispose } from "./symbols.js";
import type { GPUDeviceLike } from "./types.js";

/** What a guard needs of a device, beyond what {@link GPUDeviceLike} asks of everybody. */
interface ScopedDevice extends GPUDeviceLike {
  readonly queue: { submit(commands: readonly never[]): void };
  pushErrorScope(filter: string): void;
  popErrorScope(): Promise<object | null>;
}

const FILTERS = ["validation", "out-of-memory", "internal"] as const;

const OPERATIONS: readonly Operation[] = [
  ...["load", "acquire", "compile", "upload"],
  ...["dispatch", "read", "recover", "cooperative"],
] as Operation[];

/**
 * Classifies the failures of a device that somebody else owns: three.js, ONNX Runtime, TypeGPU, your own code.
 * Only listens: it never destroys or replaces the device and leaves `onuncapturederror` alone. Needs no wasm.
 *
 * @param options `label` names the device in messages; `signal` ends the watch.
 * @throws `InvalidProgram` for something that is no device.
 * @example
 * const watched = watch(renderer.backend.device, { label: "scene" });
 * watched.addEventListener("error", ({ detail }) => console.log(detail.error.stableId));
 * watched.lost.then((error) => console.log(error.code)); // DeviceLost
 */
export function watch(device: GPUDeviceLike, options: { label?: string; signal?: AbortSignal } = {}): Watch {
  checkOptions("dispatch", options, {
    label: checkString,
    signal: (operation, _, value) => checkSignal(operation, value),
  });
  if (typeof device?.addEventListener !== "function" || typeof device.lost?.then !== "function") {
    throw invalid("dispatch", "device", "a GPUDevice", device);
  }
  return new DeviceWatch(device as ScopedDevice, options.label ?? "the device", options.signal);
}

/** How long a browser may take until it looks at a device again. */
const LONGEST_LOOK_MS = 300;

class DeviceWatch extends EventTarget implements Watch {
  readonly lost: Promise<ComputeError>;
  readonly #device: ScopedDevice;
  readonly #label: string;
  readonly #ended = new AbortController();
  #isLost = false;

  constructor(device: ScopedDevice, label: string, signal: AbortSignal | undefined) {
    super();
    this.#device = device;
    this.#label = label;
    this.lost = device.lost.then((info) => this.#lose(info));
    const heard = (event: Event): void => this.#tell("error", this.#judged(event, "dispatch"));
    const listening = { signal: this.#ended.signal };
    (device as unknown as EventTarget).addEventListener("uncapturederror", heard, listening);
    if (signal?.aborted) this[dispose]();
    else signal?.addEventListener("abort", () => this[dispose](), { once: true, ...listening });
  }

  get state(): "alive" | "lost" {
    return this.#isLost ? "lost" : "alive";
  }

  async guard<R>(encode: () => R, options: { label?: string; operation?: Operation } = {}): Promise<Awaited<R>> {
    checkOptions("dispatch", options, { label: checkString, operation: checkOperation });
    if (typeof encode !== "function") throw invalid("dispatch", "encode", "a function", encode);
    const { label = this.#label, operation = "dispatch" } = options;
    let encoded: { result: R } | { thrown: unknown };
    // One synchronous stretch: nobody else's errors can land between a push and its pop.
    for (const filter of FILTERS) this.#device.pushErrorScope(filter);
    try {
      const result = encode();
      // It may reject before the scopes have answered, when nobody asks for it yet.
      Promise.resolve(result).catch(() => {});
      encoded = { result };
    } catch (thrown) {
      encoded = { thrown };
    }
    const pops = FILTERS.map(() => this.#device.popErrorScope());

    const answers = await Promise.allSettled(pops);
    const rejected = answers.find((answer) => answer.status === "rejected");
    const reported = answers.find((answer) => answer.status === "fulfilled" && answer.value !== null);
    // A scope's report says more than the exception that came with it; a scope that rejects can only be a lost device's.
    const report = reported?.status === "fulfilled" ? reported.value : undefined;
    if (report || rejected || "thrown" in encoded) {
      const what = report ?? ("thrown" in encoded ? encoded.thrown : rejected?.reason);
      if (!report && !rejected) await this.#oneLookLater();
      throw await this.#judgedLater(what, operation, label, rejected !== undefined);
    }
    try {
      const result = await encoded.result;
      if (this.#isLost) throw await this.lost;
      return result;
    } catch (rejection) {
      await this.#oneLookLater();
      throw await this.#judgedLater(rejection, operation, label, false);
    }
  }

  [dispose](): void {
    this.#ended.abort();
  }

  #lose(info: unknown): ComputeError {
    this.#isLost = true;
    const error = this.#judged(info, "dispatch");
    this.#tell("lost", error);
    return error;
  }

  #tell(type: "error" | "lost", error: ComputeError): void {
    if (!this.#ended.signal.aborted) this.dispatchEvent(new CustomEvent(type, { detail: { error } }));
  }

  #judged(report: unknown, operation: Operation, label = this.#label, lost = this.#isLost): ComputeError {
    return classified(report, { operation, lost }, { label });
  }

  /**
   * Waits for the loss as long as a browser may take to notice it: Firefox looks at a device every 100 ms, and lets calls
   * to a destroyed one throw or reject until then.
   */
  async #oneLookLater(): Promise<void> {
    if (!this.#isLost) await Promise.race([this.lost, new Promise((resolve) => setTimeout(resolve, LONGEST_LOOK_MS))]);
  }

  /** One task later, when a loss behind the report has had time to show. */
  async #judgedLater(report: unknown, operation: Operation, label: string, meansLoss: boolean): Promise<ComputeError> {
    try {
      this.#device.queue.submit([]);
    } catch {
      // The report at hand says more.
    }
    for (let task = 0; task < 2 && !this.#isLost; task++) await nextTask();
    return this.#judged(report, operation, label, this.#isLost || meansLoss);
  }
}

function checkOperation(operation: Operation, argument: string, x: unknown): void {
  if (!OPERATIONS.includes(x as Operation)) throw invalid(operation, argument, OPERATIONS.join(", "), x);
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
