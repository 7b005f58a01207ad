import type { GpuBuffer } from "./contract.js";

/**
 * The type of one element of a buffer. `f16` travels as its bits in a `Uint16Array`; one element of `vec2f` is two
 * floats, one of `vec4f` four.
 */
export type DType = "f32" | "i32" | "u32" | "f16" | "vec2f" | "vec4f";

/** The typed array in which data of a {@link DType} comes back. */
export type TypedArrayOf<T extends DType> = T extends "i32"
  ? Int32Array<ArrayBuffer>
  : T extends "u32"
    ? Uint32Array<ArrayBuffer>
    : T extends "f16"
      ? Uint16Array<ArrayBuffer>
      : Float32Array<ArrayBuffer>;

/** A `Float16Array`, described by shape because not every TypeScript library knows it. */
export type Float16View = ArrayBufferView & { readonly [Symbol.toStringTag]: "Float16Array" };

/** What a storage binding takes: a buffer on the GPU, or data that is uploaded for the call. */
export type Data = GpuBuffer | ArrayBufferView | readonly number[];

/** A struct in a uniform, by field name; WGSL's layout rules are applied. */
export interface UniformStruct {
  readonly [field: string]: number | readonly number[] | UniformStruct;
}

/** See `out()`. */
export interface OutSpec<T extends DType> {
  readonly kind: "out";
  readonly dtype: T;
  readonly length: number;
}

/** See `inout()`. */
export interface InOutSpec<V extends ArrayBufferView> {
  readonly kind: "inout";
  readonly data: V;
}

/**
 * The arguments of a call, by WGSL variable name. Storage takes data. A uniform takes a number, a vector as an array of
 * numbers, a struct as an object by field name, or its bytes.
 */
export type Args = Record<
  string,
  Data | number | readonly number[] | UniformStruct | OutSpec<DType> | InOutSpec<ArrayBufferView>
>;

/** The results of a run: one array for each `out()` and `inout()` among its arguments, under the same name. */
export type Outputs<A> = {
  [K in keyof A as A[K] extends OutSpec<DType> | InOutSpec<ArrayBufferView> ? K : never]: A[K] extends OutSpec<infer T>
    ? TypedArrayOf<T>
    : A[K] extends InOutSpec<infer V>
      ? V
      : never;
};

/** What a batch resolves with: what `record` returned, with one level of promises replaced by their values. */
export type BatchResult<R> = R extends PromiseLike<infer V> ? V : { [K in keyof R]: Awaited<R[K]> };

/** How a call is made. */
export interface RunOptions {
  /** Stops waiting when it fires; the call rejects with `signal.reason` unchanged. Work already sent still runs. */
  signal?: AbortSignal;
  /**
   * Milliseconds until the call rejects with `ExecutionAborted`, reason `"timeout"`; `Infinity` for never.
   * Default: the `timeoutMs` of `acquire()`.
   */
  timeoutMs?: number;
  /** A name for error messages and for the browser's tools. */
  label?: string;
  /** Whether to measure the run and give `info.timing`; the call then waits until the GPU has finished. */
  timing?: boolean;
}

/**
 * How many workgroups run; at most one of the three. Default: one invocation for each element of the first output.
 */
export interface Grid {
  /** Workgroups in x, or in x, y and z. */
  workgroups?: number | readonly [number, number?, number?];
  /** Invocations in x, rounded up to workgroups; folded into y and z past 65,535 of them where the kernel can know. */
  elements?: number;
  /** Three `u32` in a buffer, written by an earlier kernel; `offset` in bytes, a multiple of 4. */
  indirect?: { buffer: GpuBuffer<"u32">; offset?: number };
}

/** What a run tells about itself. */
export interface RunInfo {
  /** The device it ran on, counted from 1. */
  readonly generation: number;
  /** How often it was submitted. */
  readonly attempts: number;
  /** With `timing: true`. `gpuNs` where the device has timestamp queries; `wallMs` from the call to its end. */
  readonly timing?: { readonly gpuNs?: number; readonly wallMs: number; readonly source: "timestamp-query" | "wall" };
}

/** A `GPUDevice`, by shape: TypeScript's own WebGPU types and `@webgpu/types` exclude each other. */
export interface GPUDeviceLike {
  readonly lost: Promise<{ reason: string; message: string }>;
  readonly queue: object;
  destroy(): void;
  addEventListener(type: string, listener: (event: Event) => void): void;
}
