import { BufferHandle } from "./buffer.js";
import { invalid } from "./check.js";
import { computeError } from "./compute_error.js";
import type { ElementwiseKernel } from "./contract.js";
import { numbers, out, scalarOf } from "./data.js";
import type { GpuHandle } from "./gpu.js";
import type { Core } from "./instance.js";
import { infoOf, KernelHandle, type KernelInfo, type Launching, type Ran, sendDispatch, sendRun } from "./kernel.js";
import type { Data, DType, TypedArrayOf } from "./types.js";

/** The function that runs an expression over one array. There is one kernel for each type it is called with. */
export function createElementwise(gpu: GpuHandle, expr: string): ElementwiseKernel {
  const kernels = new Map<DType, KernelHandle>();

  const kernelOf = (core: Core, dtype: DType): KernelHandle => {
    let kernel = kernels.get(dtype);
    if (!kernel) {
      // Not owned: wasm keeps the kernels of expressions, one for all that have the same text and type.
      const id = core.elementwise(expr, dtype);
      kernel = new KernelHandle(gpu, id, core.kernel_info(id) as KernelInfo);
      kernels.set(dtype, kernel);
    }
    return kernel;
  };

  const apply = (data: Data) =>
    gpu.later(
      "dispatch",
      expr,
      (core) => {
        const { x, dtype, length } = operandOf(data);
        return kernelOf(core, dtype).launching(core, { x, y: out(dtype, length) }, undefined);
      },
      sendRun,
      onlyResult,
    );

  const into = (dst: unknown, data: Data) =>
    gpu.later(
      "dispatch",
      expr,
      (core) => {
        const { x, dtype, length } = operandOf(data);
        if (!(dst instanceof BufferHandle)) throw invalid("dispatch", "dst", "a GpuBuffer", dst);
        // WGSL would clamp the index of the shorter one, and give elements twice or not at all.
        const target = { label: "elementwise", name: "y" };
        if (dst.dtype !== dtype) {
          throw computeError("type-mismatch", "dispatch", { ...target, expected: dtype, got: dst.dtype });
        }
        if (dst.length !== length) {
          const [expected, got] = [`${length} elements long`, `${dst.length}`];
          throw computeError("length-mismatch", "dispatch", { ...target, expected, got });
        }
        return kernelOf(core, dtype).launching(core, { x, y: dst }, undefined);
      },
      sendDispatch,
      infoOf,
    );

  return Object.assign(apply, { into }) as ElementwiseKernel;
}

function onlyResult({ results }: Ran, { outputs }: Launching): TypedArrayOf<DType> {
  return outputs[0]!.viewOf(results![0]!) as TypedArrayOf<DType>;
}

/** The one argument, with its type and its length in elements. */
interface Operand {
  readonly x: BufferHandle | ArrayBufferView;
  readonly dtype: DType;
  readonly length: number;
}

function operandOf(data: unknown): Operand {
  if (data instanceof BufferHandle) return { x: data, dtype: data.dtype, length: data.length };
  const x = Array.isArray(data) ? numbers(data, "f32", "dispatch", "x") : data;
  const dtype = ArrayBuffer.isView(x) ? scalarOf(x) : undefined;
  // Elsewhere bytes are u32; to compute with them would be something else than it looks like.
  if (dtype === undefined)
    throw invalid("dispatch", "x", "a GpuBuffer, numbers, or an array of f32, i32, u32 or f16", data);
  return { x: x as ArrayBufferView, dtype, length: (x as Float32Array).length };
}
