import { checkCount, invalid } from "./check.js";
import { checkAttached, checkDType, isArrayLike, numbers, sameView, type Scalar, typedArray } from "./data.js";

/** One result of a run: its name, and the view its bytes come back in. */
export interface Output {
  readonly name: string;
  viewOf(bytes: ArrayBuffer): ArrayBufferView;
}

interface Argument {
  /** What wasm takes. */
  readonly given: unknown;
  readonly output?: Output;
}

/**
 * An argument that is not a buffer, checked for what only JavaScript can see; whether it fits the binding is wasm's to
 * say. `scalar` is what the data of a storage binding is made of: empty if it is mixed, undefined if it is no storage.
 */
export function argumentOf(name: string, value: unknown, scalar: Scalar | "" | undefined): Argument {
  const argument = `\`${name}\``;
  if (typeof value === "number") return { given: value };
  if (ArrayBuffer.isView(value)) {
    checkAttached("dispatch", argument, value);
    return { given: value };
  }
  if (scalar !== undefined && Array.isArray(value)) return { given: storage(argument, value, scalar) };
  if (isPlain(value)) {
    if (value["kind"] === "out") return { given: value, output: outOf(name, value) };
    if (value["kind"] === "inout") return { given: value, output: inoutOf(name, value) };
  }
  return { given: uniform(name, value, 0) };
}

/** More than WGSL lets types nest. */
const MAX_DEPTH = 32;

/** The value of a uniform, copied: wasm must neither run getters nor walk in a circle. */
function uniform(path: string, value: unknown, depth: number): unknown {
  if (typeof value === "number") return value;
  if (depth < MAX_DEPTH) {
    if (isList(value)) return Array.from(value, (item, index) => uniform(`${path}.${index}`, item, depth + 1));
    if (isPlain(value)) {
      const fields = Object.entries(value);
      return Object.fromEntries(fields.map(([field, of]) => [field, uniform(`${path}.${field}`, of, depth + 1)]));
    }
  }
  const expected = depth === 0 ? "a GpuBuffer, a typed array, numbers, out(), inout() or a struct" : "a number, numbers or a struct";
  throw invalid("dispatch", `\`${path}\``, expected, value);
}

function storage(argument: string, value: unknown, scalar: Scalar | ""): ArrayBufferView {
  if (scalar === "" || !isArrayLike(value)) {
    throw invalid("dispatch", argument, "a typed array or bytes, because its type is not made of one scalar", value);
  }
  return numbers(value, scalar, "dispatch", argument);
}

// By shape and not by a brand, so that a spec may also be written out by hand.
function outOf(name: string, { dtype, length }: Record<string, unknown>): Output {
  checkDType("dispatch", `the dtype of \`${name}\``, dtype);
  checkCount("dispatch", `the length of \`${name}\``, length);
  return { name, viewOf: (bytes) => typedArray(dtype, bytes) };
}

function inoutOf(name: string, { data }: Record<string, unknown>): Output {
  if (!ArrayBuffer.isView(data))
    throw invalid("dispatch", `the data of \`${name}\``, "a typed array or a DataView", data);
  checkAttached("dispatch", `\`${name}\``, data);
  return { name, viewOf: (bytes) => sameView(data, bytes) };
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && isArrayLike(value));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Also the plain objects of another realm, whose prototype is another Object.prototype.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
