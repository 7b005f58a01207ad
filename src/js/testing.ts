/**
 * For tests of code that uses this package: brings about what a page cannot, but must survive.
 *
 * @module
 */
import { live } from "./instance.js";

/**
 * Panics inside the wasm, as a defect in it would: every pending call of every Gpu rejects `PoisonedLock` at once, and
 * so does every later one; `acquire()` then starts the wasm anew. Does nothing while no wasm runs.
 *
 * @throws `PoisonedLock`
 * @example
 * const pending = gpu.flush();
 * try { panicOnPurpose(); } catch (error) { console.log(error.code); } // PoisonedLock
 * await pending.catch((error) => console.log(error.code)); // PoisonedLock
 */
export function panicOnPurpose(): void {
  const instance = live();
  if (!instance) return;
  try {
    instance.glue.panic_on_purpose();
  } catch (thrown) {
    throw instance.caught(thrown, "dispatch");
  }
}
