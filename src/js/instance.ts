import { classify, wordsOf } from "./classify.js";
import { ComputeError, computeError, type Operation } from "./compute_error.js";
import { hostOf } from "./host.js";
import { compiled, type WasmSource } from "./load.js";
import { Calls, isTold, type Owner, tell } from "./settle.js";

type Glue = typeof import("./generated/steadfast_gpu.js");
export type Core = Glue["Core"]["prototype"];

/**
 * The generated glue. `require`, which the bundler resolves, and not `import`: the glue's top level touches WebAssembly
 * and TextDecoder, so it must run at the first `acquire()` and not wherever somebody imports the package.
 */
declare function require(path: "./generated/steadfast_gpu.js"): Glue;

/** What an instance needs of a Gpu: to report to it. */
export interface Resident extends Owner {
  /** An event that wasm has for it. */
  emitted(type: string, detail: object): void;
}

/**
 * One life of the wasm. Once anything in it has panicked or trapped, its state may be half-written: it is poisoned for
 * good, all its calls are rejected, and the next `acquire()` starts another. Handles keep the instance they belong to,
 * so that a stale one never reaches into the next.
 */
export class Instance {
  readonly calls = new Calls();
  readonly residents = new Map<number, WeakRef<Resident>>();
  readonly glue: Glue;
  /** The trap of this instance is still on its way to the global scope. */
  isTrapping = false;
  readonly #exports: WasmExports;
  #poisoned: ComputeError | undefined;

  constructor(glue: Glue, exports: WasmExports) {
    this.glue = glue;
    this.#exports = exports;
    glue.start(hostOf(this));
  }

  /** Why nothing of this instance can be used any more. */
  get poisoned(): ComputeError | undefined {
    return this.#poisoned;
  }

  get wasmBytes(): number {
    return this.#exports.memory.buffer.byteLength;
  }

  /** What the glue's abort handler notes after a panic, a trap, or an exception that flew through Rust's frames. */
  get isTerminated(): boolean {
    const { memory, __instance_terminated: flag } = this.#exports;
    return new Int32Array(memory.buffer)[flag.value / 4] !== 0;
  }

  /** What an export threw, as the error to hand on. */
  caught(thrown: unknown, operation: Operation): ComputeError {
    if (this.isTerminated) this.poison(wordsOf(thrown), thrown);
    if (!this.#poisoned) return classify(thrown, { operation });
    this.isTrapping = false;
    tell(this.#poisoned);
    return this.#poisoned;
  }

  /** Rejects everything that is pending, at once: no future of this instance will ever settle. */
  poison(message: string, cause?: unknown): void {
    if (this.#poisoned) return;
    const detail = message.replace(/\s+/g, " ").replace(/\.? *$/, "");
    const error = computeError("panicked", "dispatch", { detail }, { cause });
    this.#poisoned = error;
    this.isTrapping = true;
    hasEnded = true;
    this.calls.rejectAll(error);
    // Once those rejections are judged: a panic that hit no call is still told to somebody.
    setTimeout(() => this.#report(error), 0);
  }

  #report(error: ComputeError): void {
    this.isTrapping = false;
    if (isTold(error)) return;
    tell(error);
    for (const resident of this.residents.values()) resident.deref()?.uncaptured(error);
  }
}

/** The exports of the wasm that are read here and not through the glue. */
interface WasmExports {
  readonly memory: WebAssembly.Memory;
  readonly __instance_terminated: WebAssembly.Global;
}

let glue: Glue | undefined;
let current: Instance | undefined;
let starting: Promise<Instance> | undefined;
/** Whether any instance has been poisoned. */
let hasEnded = false;

/** The instance that runs, if one does. */
export function live(): Instance | undefined {
  return current?.poisoned ? undefined : current;
}

/** The instance to acquire with: the live one, or a new one. Callers at the same time share one start. */
export function running(source: WasmSource | (() => Promise<WasmSource>)): Promise<Instance> {
  const instance = live();
  if (instance) return Promise.resolve(instance);
  starting ??= started(source).finally(() => (starting = undefined));
  return starting;
}

async function started(source: WasmSource | (() => Promise<WasmSource>)): Promise<Instance> {
  const module = glue ? undefined : await compiled(source);
  try {
    if (module) {
      const fresh = require("./generated/steadfast_gpu.js");
      await fresh.default({ module_or_path: module });
      glue = fresh;
      watchGlobalScope();
    } else {
      glue!.__wbg_reset_state();
    }
    // Once it has started, it gives the exports of the instance that runs.
    const exports = (await glue!.default(undefined as never)) as unknown as WasmExports;
    current = new Instance(glue!, exports);
    return current;
  } catch (cause) {
    throw startFailed(cause);
  }
}

function startFailed(cause: unknown): ComputeError {
  const error = classify(cause, { operation: "load" });
  return error.reason === "unclassified" ? computeError("load-failed", "load", { ...error.context }, { cause }) : error;
}

/**
 * A panic in a continuation has no caller: it reaches the global scope as an event. The event ends here, as far as a
 * listener can end it, because everybody concerned is told by a `ComputeError`; so do its echoes, from closures of a
 * poisoned instance that objects of the browser still hold.
 */
function watchGlobalScope(): void {
  const judge = (event: Event, thrown: unknown): void => {
    if (!isTrap(thrown) && !isEcho(thrown)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  globalThis.addEventListener?.("error", (event) => judge(event, event.error), true);
  globalThis.addEventListener?.("unhandledrejection", (event) => judge(event, event.reason), true);
}

/** Whether this is what the live instance ended with. */
function isTrap(thrown: unknown): boolean {
  if (!current) return false;
  const wasUnknown = !current.poisoned && current.isTerminated;
  if (wasUnknown) current.poison(wordsOf(thrown), thrown);
  const isIt = wasUnknown || (current.isTrapping && thrown instanceof WebAssembly.RuntimeError);
  if (isIt) current.isTrapping = false;
  return isIt;
}

/** The glue's own words, for which it has no class; the version of wasm-bindgen is pinned. */
const ECHOES = ["Module terminated", "Cannot invoke closure from previous WASM instance"];

/** Whether the glue threw this in place of calling into an instance that has ended. */
function isEcho(thrown: unknown): boolean {
  return hasEnded && thrown instanceof Error && ECHOES.includes(thrown.message);
}
