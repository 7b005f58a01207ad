/**
 * For tests of code that uses this package: brings about what a page cannot, but must survive.
 *
 * @module
 */
import { invalid } from "./check.js";
import type { Gpu } from "./contract.js";
import { GpuHandle } from "./gpu.js";
import { live } from "./instance.js";

/**
 * Panics inside the wasm that this Gpu runs on, as a defect in it would. All calls of all Gpus that are pending reject
 * `PoisonedLock`, and so does every later one; `acquire()` then starts the wasm anew. Does nothing to a Gpu whose wasm
 * has ended already.
 *
 * @throws `InvalidProgram`: not a Gpu.
 * @example
 * const pending = gpu.flush();
 * panic(gpu);
 * await pending.catch((error) => console.log(error.code)); // PoisonedLock
 */
export function panic(gpu: Gpu): void {
  if (!(gpu instanceof GpuHandle)) throw invalid("dispatch", "gpu", "a Gpu of this package", gpu);
  const instance = live();
  if (gpu.poisoned || !instance) return;
  try {
    instance.glue.panic_on_purpose();
  } catch (thrown) {
    instance.caught(thrown, "dispatch");
  }
}
