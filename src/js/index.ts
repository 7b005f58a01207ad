/**
 * WebGPU compute for the browser that tells you about every failure. This entry carries its wasm with it.
 *
 * @module
 */
import { acquireWith } from "./acquire.js";
import type { AcquireOptions, Gpu } from "./contract.js";
import { wasm } from "./generated/embedded.js";
import { inflated } from "./load.js";

/**
 * A GPU device to compute with. The first call of a page loads the wasm; several at once share it.
 *
 * Rejects `UnsupportedFeature` where there is no WebGPU (`"webgpu-unavailable"`, `"insecure-context"`), no adapter
 * (`"adapter-unavailable"`), a feature or limit is missing, or the page's policy forbids wasm (`"wasm-blocked"`);
 * `ExecutionAborted` after 30 s while the page is visible; `InvalidProgram` for options it does not know.
 *
 * @example
 * const gpu = await acquire();
 * const double = gpu.elementwise("x * 2");
 * console.log(await double([1, 2, 3])); // Float32Array [2, 4, 6]
 */
export function acquire(options: AcquireOptions = {}): Promise<Gpu> {
  return acquireWith(() => inflated(wasm), options);
}

export { isAvailable } from "./acquire.js";
export { inout, out } from "./data.js";
export * from "./errors.js";
export { watch } from "./watch.js";
export type * from "./contract.js";
export type * from "./types.js";
