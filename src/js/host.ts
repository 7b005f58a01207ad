import { type ErrorContext, type Operation, computeError } from "./compute_error.js";
import { type Reason, reasons } from "./generated/catalog.js";
import type { Instance } from "./instance.js";

/** What wasm calls back. Nothing here throws: an exception would fly through Rust's frames and end the instance. */
export interface Host {
  error(
    stableId: number,
    reason: string,
    operation: string,
    context: readonly (string | number | boolean)[],
    cause: unknown,
  ): unknown;
  resolve(call: number, value: unknown): void;
  /** Resolves a call with what the GPU did; `wallMs` is NaN where nobody asked. */
  ran(call: number, generation: number, attempts: number, wallMs: number, results: readonly ArrayBuffer[]): void;
  reject(call: number, error: unknown): void;
  emit(gpu: number, type: string, detail: object): void;
  panicked(message: string): void;
}

export function hostOf(instance: Instance): Host {
  return {
    error: (stableId, reason, operation, context, cause) =>
      computeError(known(reason), operation as Operation, paired(context), { stableId, cause }),
    resolve: (call, value) => instance.calls.resolve(call, value),
    ran: (call, generation, attempts, wallMs, results) =>
      instance.calls.resolve(call, { results, generation, attempts, ...(wallMs >= 0 && { wallMs }) }),
    reject: (call, error) => instance.calls.reject(call, error),
    // A listener may call back into wasm, which must not be entered twice: it runs when wasm has returned.
    emit: (gpu, type, detail) => queueMicrotask(() => instance.residents.get(gpu)?.deref()?.emitted(type, detail)),
    panicked: (message) => instance.poison(message),
  };
}

/** A wasm file of another version may know more reasons than this script. */
function known(reason: string): Reason {
  return Object.hasOwn(reasons, reason) ? (reason as Reason) : "unclassified";
}

/** Key, value, key, value ... as an object. */
function paired(flat: readonly (string | number | boolean)[]): ErrorContext {
  const context: ErrorContext = {};
  for (let index = 0; index + 1 < flat.length; index += 2) context[String(flat[index])] = flat[index + 1]!;
  return context;
}
