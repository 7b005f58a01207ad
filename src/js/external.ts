/**
 * As the main entry, with the wasm as a file of its own beside the script instead of inside it.
 *
 * @module
 */
import { acquireWith } from "./acquire.js";
import type { AcquireOptions, Gpu } from "./contract.js";

/**
 * A GPU device to compute with; see the main entry. The first call of a page fetches the wasm file.
 *
 * @example
 * import { acquire } from "steadfast-gpu/external";
 * const gpu = await acquire();
 */
export function acquire(options: AcquireOptions = {}): Promise<Gpu> {
  return acquireWith(async () => new URL("./steadfast_gpu_bg.wasm", import.meta.url), options);
}

export { isAvailable } from "./acquire.js";
export { inout, out } from "./data.js";
export * from "./errors.js";
export { watch } from "./watch.js";
export type * from "./contract.js";
export type * from "./types.js";
