import { checkCount, invalid } from "./check.js";
import { computeError, type Operation } from "./compute_error.js";
import type { DType, InOutSpec, OutSpec, TypedArrayOf } from "./types.js";

/** The scalar types of WGSL that data can be made of. */
export type Scalar = "f32" | "i32" | "u32" | "f16";

interface Element {
  readonly scalar: Scalar;
  readonly bytes: number;
}

/** What one element of a type is. */
export const ELEMENTS: Readonly<Record<DType, Element>> = {
  f32: { scalar: "f32", bytes: 4 },
  i32: { scalar: "i32", bytes: 4 },
  u32: { scalar: "u32", bytes: 4 },
  f16: { scalar: "f16", bytes: 2 },
  vec2f: { scalar: "f32", bytes: 8 },
  vec4f: { scalar: "f32", bytes: 16 },
};

/** Views whose class says the type of their elements. */
const TYPED: Readonly<Record<string, Scalar>> = {
  Float32Array: "f32",
  Int32Array: "i32",
  Uint32Array: "u32",
  Float16Array: "f16",
};

/** Views that are read as bytes of whatever type is wanted. */
const BYTES: ReadonlySet<string> = new Set([
  "Uint8Array",
  "Uint8ClampedArray",
  "Int8Array",
  "DataView",
  "BigInt64Array",
  "BigUint64Array",
]);

/** The class of a view, also of one from another realm or of a subclass. */
function classOf(view: ArrayBufferView): string {
  return (view as ArrayBufferView & { [Symbol.toStringTag]: string })[Symbol.toStringTag];
}

/** The type that a view's class says, if it says one. */
export function scalarOf(view: ArrayBufferView): Scalar | undefined {
  return TYPED[classOf(view)];
}

export function checkDType(operation: Operation, argument: string, x: unknown): asserts x is DType {
  if (typeof x !== "string" || !Object.hasOwn(ELEMENTS, x)) {
    throw invalid(operation, argument, `one of ${Object.keys(ELEMENTS).join(", ")}`, x);
  }
}

/** Refuses a view whose memory was taken away: the browser would take nothing from it, and say nothing. */
export function checkAttached(operation: Operation, argument: string, view: ArrayBufferView): void {
  if (isDetached(view)) throw computeError("detached", operation, { argument });
}

function isDetached(view: ArrayBufferView): boolean {
  try {
    // Empty is also what a view is called that was transferred, or that lies past the end of a buffer that shrank. A
    // DataView throws when it is asked for its length then, and an array when it is searched.
    if (view.byteLength === 0 && classOf(view) !== "DataView") Uint8Array.prototype.includes.call(view as never, 0);
    return false;
  } catch {
    return true;
  }
}

/** What a buffer is made of: its type, its length in elements, and its contents unless they are zeros. */
export interface Contents {
  readonly dtype: DType;
  readonly length: number;
  readonly data?: ArrayBufferView;
}

/** What the user gave to `gpu.buffer()`, as contents. */
export function contentsOf(src: unknown, label: string): Contents {
  if (ArrayBuffer.isView(src)) {
    checkAttached("upload", "src", src);
    return contents(scalarOf(src) ?? "u32", src, "src", label);
  }
  if (typeof src !== "object" || src === null || !("dtype" in src)) {
    throw invalid("upload", "src", "a typed array, { dtype, length } or { dtype, data }", src);
  }
  const { dtype, length, data } = src as { dtype: unknown; length?: unknown; data?: unknown };
  checkDType("upload", "src.dtype", dtype);
  if (data !== undefined) return contents(dtype, viewOf(data, dtype, "upload", "src.data"), "src.data", label);
  checkCount("upload", "src.length", length);
  return { dtype, length };
}

function contents(dtype: DType, data: ArrayBufferView, name: string, label: string): Contents {
  const { bytes } = ELEMENTS[dtype];
  if (data.byteLength % bytes !== 0) {
    const got = `${data.byteLength} bytes`;
    throw computeError("length-mismatch", "upload", {
      label,
      name,
      expected: `a multiple of ${bytes} bytes long`,
      got,
    });
  }
  return { dtype, length: data.byteLength / bytes, data };
}

/** Data for a buffer of a known type: a view of that type or of bytes as it is, numbers converted. */
export function viewOf(data: unknown, dtype: DType, operation: Operation, argument: string): ArrayBufferView {
  const { scalar } = ELEMENTS[dtype];
  if (ArrayBuffer.isView(data)) {
    checkAttached(operation, argument, data);
    checkClass(data, scalar, operation, argument);
    return data;
  }
  if (!isArrayLike(data)) throw invalid(operation, argument, `${scalar} data: a typed array, bytes or numbers`, data);
  return numbers(data, scalar, operation, argument);
}

/** Whether this can hold numbers by index. Not a string, although it has a length. */
export function isArrayLike(x: unknown): x is ArrayLike<number> {
  return typeof x === "object" && x !== null && Number.isSafeInteger((x as ArrayLike<number>).length);
}

/** Refuses a view of another type. f16 also travels as its bits, in a `Uint16Array`. */
export function checkClass(view: ArrayBufferView, scalar: Scalar, operation: Operation, argument: string): void {
  const kind = classOf(view);
  if (TYPED[kind] === scalar || BYTES.has(kind) || (scalar === "f16" && kind === "Uint16Array")) return;
  throw invalid(operation, argument, `${scalar} data or bytes`, view);
}

/** Numbers as a typed array of this scalar. Integers must be integral and in range; nothing is rounded or wrapped. */
export function numbers(
  data: ArrayLike<number>,
  scalar: Scalar,
  operation: Operation,
  argument: string,
): ArrayBufferView {
  const { length } = data;
  const target = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, f16: Uint16Array }[scalar];
  const converted = new target(length);
  for (let index = 0; index < length; index++) {
    const value = data[index] as number;
    if (!fits(value, scalar)) {
      throw invalid(operation, `${argument}[${index}]`, EXPECTED[scalar], value, { index });
    }
    converted[index] = scalar === "f16" ? halfBits(value) : value;
  }
  return converted;
}

const EXPECTED: Readonly<Record<Scalar, string>> = {
  f32: "a number",
  f16: "a number",
  i32: "a whole number from -2147483648 to 2147483647",
  u32: "a whole number from 0 to 4294967295",
};

/** Whether a value can be an element of this scalar without being changed beyond rounding a float. */
export function fits(value: unknown, scalar: Scalar): boolean {
  if (scalar === "i32") return typeof value === "number" && value === (value | 0);
  if (scalar === "u32") return typeof value === "number" && value === value >>> 0;
  return typeof value === "number";
}

export function checkNumber(
  operation: Operation,
  argument: string,
  value: unknown,
  scalar: Scalar,
): asserts value is number {
  if (!fits(value, scalar)) throw invalid(operation, argument, EXPECTED[scalar], value);
}

/** The bits of a number as an IEEE 754 half, rounded to nearest, ties to even. */
function halfBits(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  // 65520 is halfway between the greatest half and the next power of two, and a tie that rounds up.
  if (magnitude >= 65520) return sign | 0x7c00;

  // The exponent of the last place; halves below 2^-14 share the one of 2^-14. The float32 has the exponent in its bits
  // (rounded up to a power of two at worst, which the carry below allows for).
  const exponent = Math.max((bitsOf(magnitude) >>> 23) - 127, -14);
  const places = roundedToEven(magnitude * 2 ** (10 - exponent));
  // 1024 places are the implicit leading one, so a carry moves into the exponent by itself.
  return sign | (((exponent + 14) << 10) + places);
}

const scratch = new DataView(new ArrayBuffer(4));

function bitsOf(value: number): number {
  scratch.setFloat32(0, value);
  return scratch.getUint32(0);
}

function roundedToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}

/** The bytes of a result as the array its type comes in. */
export function typedArray<T extends DType>(dtype: T, bytes: ArrayBuffer): TypedArrayOf<T> {
  const result = { f32: Float32Array, i32: Int32Array, u32: Uint32Array, f16: Uint16Array }[ELEMENTS[dtype].scalar];
  return new result(bytes) as TypedArrayOf<T>;
}

/** The bytes of a result in a view of the same class as the one that went in. */
export function sameView(view: ArrayBufferView, bytes: ArrayBuffer): ArrayBufferView {
  const result = (globalThis as unknown as Record<string, new (bytes: ArrayBuffer) => ArrayBufferView>)[classOf(view)]!;
  return new result(bytes);
}

/**
 * Room for a result of `run`: starts as zeros, comes back as a fresh array under its name. `length` in elements; zero
 * gives an empty array.
 *
 * @throws `InvalidProgram`: no such type, or no length.
 * @example
 * const { y } = await kernel.run({ x: Float32Array.of(1, 2, 3), y: out("f32", 3) });
 */
export function out<T extends DType>(dtype: T, length: number): OutSpec<T> {
  checkDType("dispatch", "the type of out()", dtype);
  checkCount("dispatch", "the length of out()", length);
  return Object.freeze({ kind: "out", dtype, length });
}

/**
 * Data that `run` uploads, changes and brings back as a fresh array of the same class; yours stays as it is.
 *
 * @throws `InvalidProgram`: not a typed array or `DataView`.
 * @example
 * const { x } = await kernel.run({ x: inout(Float32Array.of(1, 2, 3)) });
 */
export function inout<V extends ArrayBufferView>(data: V): InOutSpec<V> {
  if (!ArrayBuffer.isView(data)) throw invalid("dispatch", "the data of inout()", "a typed array or a DataView", data);
  return Object.freeze({ kind: "inout", data });
}
