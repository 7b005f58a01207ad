import { checkMilliseconds, checkOptions, checkSignal, checkString, invalid } from "./check.js";
import { computeError, type Operation } from "./compute_error.js";
import type { AcquireOptions, Gpu } from "./contract.js";
import { Deadline } from "./deadline.js";
import { GpuHandle } from "./gpu.js";
import { type Core, type Instance, running } from "./instance.js";
import { type Check, checkFlag } from "./launch.js";
import type { WasmSource } from "./load.js";

/** How long an acquire may take while the page is visible. */
const TIMEOUT_MS = 30_000;

const ACQUIRE_OPTIONS: Readonly<Record<keyof AcquireOptions, Check>> = {
  powerPreference: oneOf("low-power", "high-performance"),
  limits: checkLimits,
  features: checkStrings,
  optionalFeatures: checkStrings,
  memoryBudgetBytes: checkBudget,
  timeoutMs: checkMilliseconds,
  strict: checkFlag,
  wasm: checkSource,
  label: checkString,
  signal: (operation, _, value) => checkSignal(operation, value),
};

let gpus = 0;

/** Acquires a Gpu. `source` is where this entry of the package has its wasm. */
export async function acquireWith(source: () => Promise<WasmSource>, options: AcquireOptions): Promise<Gpu> {
  checkOptions("acquire", options, ACQUIRE_OPTIONS);
  const { wasm, signal, timeoutMs: _, ...wanted } = options;
  if (signal?.aborted) throw signal.reason;
  checkEnvironment();

  const deadline = new Deadline(options.label ?? "acquire()", TIMEOUT_MS, signal);
  try {
    const instance = await Promise.race([running(wasm ?? source), deadline.failed]);
    return await acquired(instance, options, wanted, deadline);
  } finally {
    deadline.release();
  }
}

async function acquired(instance: Instance, options: AcquireOptions, wanted: object, deadline: Deadline): Promise<Gpu> {
  const number = ++gpus;
  let isLate = false;
  const answer = new Promise<GpuHandle>((resolve, reject) => {
    const call = instance.calls.add({
      resolve: (core) => {
        // The handle first, so that the core's next event finds it. A core that comes too late is given back.
        const gpu = new GpuHandle(instance, core as Core, number, options);
        if (isLate) void gpu.close();
        resolve(gpu);
      },
      reject,
    });
    try {
      instance.glue.acquire(call, number, wanted);
    } catch (thrown) {
      instance.calls.reject(call, instance.caught(thrown, "acquire"));
    }
  });
  try {
    return await Promise.race([answer, deadline.failed]);
  } catch (error) {
    isLate = true;
    answer.catch(() => {});
    throw error;
  }
}

/** Refuses where there can be no WebGPU, before any wasm is loaded. */
function checkEnvironment(): void {
  if (webgpu()) return;
  const isInsecure = globalThis.isSecureContext === false;
  throw computeError(isInsecure ? "insecure-context" : "webgpu-unavailable", "acquire", {});
}

interface WebGPU {
  requestAdapter(): Promise<object | null>;
}

function webgpu(): WebGPU | undefined {
  return (globalThis.navigator as { gpu?: WebGPU } | undefined)?.gpu;
}

/**
 * Whether an adapter really answers. True only then; never throws. Loads no wasm.
 *
 * @example
 * if (!(await isAvailable())) showPlainVersion();
 */
export async function isAvailable(): Promise<boolean> {
  const gpu = webgpu();
  // Without it there may be no clock either: a worklet has none.
  if (!gpu) return false;
  const deadline = new Deadline("isAvailable()", TIMEOUT_MS, undefined);
  try {
    // The first null of a page may be a GPU process that is just starting again.
    const asked = async () => (await gpu.requestAdapter()) ?? gpu.requestAdapter();
    return (await Promise.race([asked(), deadline.failed])) !== null;
  } catch {
    return false;
  } finally {
    deadline.release();
  }
}

function oneOf(...values: readonly string[]): Check {
  return (operation, name, value) => {
    if (!values.includes(value as string))
      throw invalid(operation, name, values.map((v) => `"${v}"`).join(" or "), value);
  };
}

function checkLimits(operation: Operation, name: string, value: unknown): void {
  if (value === "default" || value === "max-useful") return;
  if (typeof value !== "object" || value === null) {
    throw invalid(operation, name, `"default", "max-useful" or an object of limits`, value);
  }
  for (const [limit, wanted] of Object.entries(value)) {
    if (wanted !== undefined && !(Number.isInteger(wanted) && (wanted as number) >= 0)) {
      throw invalid(operation, `the limit \`${limit}\``, "a whole number, 0 or more", wanted);
    }
  }
}

function checkStrings(operation: Operation, name: string, value: unknown): void {
  if (!Array.isArray(value)) throw invalid(operation, name, "an array of feature names", value);
  for (const feature of value) checkString(operation, `each of ${name}`, feature);
}

function checkBudget(operation: Operation, name: string, value: unknown): void {
  if (typeof value !== "number" || !(value >= 0)) throw invalid(operation, name, "a number of bytes, 0 or more", value);
}

function checkSource(operation: Operation, name: string, value: unknown): void {
  const isOne = typeof value === "string" || (typeof value === "object" && value !== null);
  if (!isOne) throw invalid(operation, name, "a URL, a Response, bytes or a WebAssembly.Module", value);
}
