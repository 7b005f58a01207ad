// The image job: blur, edges and histogram on the GPU, the same on the CPU, and how far the two are apart.
import { out } from "steadfast-gpu";
import { gaussianWeights } from "./kernels/blur.js";

/** The most by which a GPU result may differ from its CPU twin: nothing for integers, one grey level where a float square root rounds. */
export const TOLERANCE = { blur: 0, edges: 1, histogram: 0 };

const TILE = 16;
const HISTOGRAM_WORKGROUPS = 64;

/** The most weighted pixels of one blur dispatch: a driver's watchdog ends what runs for seconds, and progress needs steps. */
const TAPS_PER_DISPATCH = 2 ** 26;

/**
 * The three kernels of the job, compiled for this device.
 * @param {import("steadfast-gpu").Gpu} gpu
 */
export async function imageKernels(gpu) {
  const kernels = {};
  await Promise.all(
    ["blur", "edges", "histogram"].map(async (name) => {
      const response = await fetch(new URL(`./kernels/${name}.wgsl`, import.meta.url));
      if (!response.ok) throw new Error(`kernels/${name}.wgsl did not load: HTTP ${response.status}.`);
      kernels[name] = await gpu.kernel(await response.text(), { label: name }).ready;
    }),
  );
  return kernels;
}

/**
 * Runs the job on the GPU, one stage after the other so that each has its own time.
 * @param {import("steadfast-gpu").Gpu} gpu
 * @param {Awaited<ReturnType<typeof imageKernels>>} kernels
 * @param {import("./picture.js").Picture} picture
 * @param {{ radius: number, signal?: AbortSignal, onStage?: (name: string, part?: number) => void }} options
 * @returns the two pictures, the two histograms, `ms`: wall milliseconds by stage, and `kernelMs`: those of the GPU's own
 *   clock, for the stages that it can time
 */
export async function filterOnGpu(gpu, kernels, picture, { radius, signal, onStage = () => {} }) {
  const size = [picture.width, picture.height];
  const length = picture.pixels.length;
  const buffers = [];
  const hold = (buffer) => (buffers.push(buffer), buffer);
  const ms = {};
  const kernelMs = {};
  const stage = async (name, work) => {
    onStage(name);
    const start = performance.now();
    const result = await work();
    ms[name] = performance.now() - start;
    return result;
  };

  const clocked = (name, infos) => {
    const all = infos.map(({ timing }) => timing?.gpuNs);
    if (!all.includes(undefined)) kernelMs[name] = all.reduce((sum, ns) => sum + ns, 0) / 1e6;
  };

  try {
    const [pixels, weights] = await stage("upload", async () => {
      const uploaded = [hold(gpu.buffer(picture.pixels)), hold(gpu.buffer(gaussianWeights(radius)))];
      await gpu.flush({ signal });
      return uploaded;
    });
    const across = hold(gpu.buffer({ dtype: "u32", length }));
    const blurred = hold(gpu.buffer({ dtype: "u32", length }));
    const edges = hold(gpu.buffer({ dtype: "u32", length }));

    await stage("blur", async () => {
      const bands = bandsOf(picture, radius);
      const passes = [
        { source: pixels, target: across, step: [1, 0] },
        { source: across, target: blurred, step: [0, 1] },
      ];
      const infos = [];
      for (const { source, target, step } of passes) {
        for (const { firstRow, workgroups } of bands) {
          const args = { pixels: source, weights, line: { size, step, first_row: firstRow }, blurred: target };
          infos.push(await kernels.blur.dispatch(args, { workgroups, timing: true, signal }));
          onStage("blur", infos.length / (passes.length * bands.length));
        }
      }
      clocked("blur", infos);
    });
    await stage("edges", async () => {
      const options = { workgroups: tilesOf(...size), timing: true, signal };
      clocked("edges", [await kernels.edges.dispatch({ pixels: blurred, size, edges }, options)]);
    });
    const [sourceBins, blurredBins] = await stage("histogram", () =>
      Promise.all(
        [pixels, blurred].map(async (counted) => {
          const options = { workgroups: HISTOGRAM_WORKGROUPS, signal };
          return (await kernels.histogram.run({ pixels: counted, bins: out("u32", 256) }, options)).bins;
        }),
      ),
    );
    const [blurredPixels, edgePixels] = await stage("read back", () =>
      Promise.all([blurred.read({ signal }), edges.read({ signal })]),
    );
    return { blurred: blurredPixels, edges: edgePixels, sourceBins, blurredBins, ms, kernelMs };
  } finally {
    for (const buffer of buffers) buffer.destroy();
  }
}

function tilesOf(width, height) {
  return [Math.ceil(width / TILE), Math.ceil(height / TILE)];
}

/** The rows of a picture in parts that one blur dispatch may do: the first row of each, and its workgroups. */
function bandsOf({ width, height }, radius) {
  const tileRows = Math.max(1, Math.floor(TAPS_PER_DISPATCH / (width * (2 * radius + 1) * TILE)));
  const bands = [];
  for (let firstRow = 0; firstRow < height; firstRow += tileRows * TILE) {
    bands.push({ firstRow, workgroups: tilesOf(width, Math.min(tileRows * TILE, height - firstRow)) });
  }
  return bands;
}

/**
 * Runs the CPU twins in a worker, one thread.
 * @param {import("./picture.js").Picture} picture
 * @param {{ radius: number, signal?: AbortSignal, onStage?: (name: string, part: number) => void }} options
 * @returns the same shape as `filterOnGpu`
 */
export function filterOnCpu(picture, { radius, signal, onStage = () => {} }) {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const worker = new Worker(new URL("./twin_worker.js", import.meta.url), { type: "module" });
    const settle = (how, value) => {
      worker.terminate();
      signal?.removeEventListener("abort", stop);
      how(value);
    };
    const stop = () => settle(reject, signal.reason);
    signal?.addEventListener("abort", stop);
    worker.addEventListener("error", (event) => settle(reject, new Error(`The CPU twin failed: ${event.message}`)));
    worker.addEventListener("message", ({ data }) => {
      if (data.result) settle(resolve, data.result);
      else onStage(data.stage, data.part);
    });
    worker.postMessage({
      pixels: picture.pixels,
      width: picture.width,
      height: picture.height,
      weights: gaussianWeights(radius),
    });
  });
}

/**
 * How far two results of the job are apart, kernel by kernel.
 * @returns {Record<"blur" | "edges" | "histogram", Difference>}
 */
export function compareResults(gpu, cpu) {
  const pictures = (kernel, name) => differenceOfPixels(gpu[name], cpu[name], TOLERANCE[kernel]);
  const bins = [...gpu.sourceBins, ...gpu.blurredBins];
  const expected = [...cpu.sourceBins, ...cpu.blurredBins];
  const apart = bins.map((count, level) => Math.abs(count - expected[level]));
  return {
    blur: pictures("blur", "blurred"),
    edges: pictures("edges", "edges"),
    histogram: judged(
      { channels: [Math.max(...apart)], differing: apart.filter((count) => count > 0).length, compared: bins.length },
      TOLERANCE.histogram,
    ),
  };
}

/**
 * @typedef {object} Difference
 * @property {number[]} channels largest absolute difference in red, green, blue and alpha; for the histogram one number
 * @property {number} largest the largest of them
 * @property {number} differing pixels (or bins) that are not equal
 * @property {number} compared pixels (or bins) in all
 * @property {number} tolerance
 * @property {boolean} ok `largest` is within the tolerance
 */

function differenceOfPixels(actual, expected, tolerance) {
  const channels = [0, 0, 0, 0];
  let differing = 0;
  for (let i = 0; i < expected.length; i++) {
    if (actual[i] === expected[i]) continue;
    differing++;
    for (let channel = 0; channel < 4; channel++) {
      const shift = channel * 8;
      const apart = Math.abs(((actual[i] >>> shift) & 255) - ((expected[i] >>> shift) & 255));
      if (apart > channels[channel]) channels[channel] = apart;
    }
  }
  return judged({ channels, differing, compared: expected.length }, tolerance);
}

function judged(difference, tolerance) {
  const largest = Math.max(...difference.channels);
  return { ...difference, largest, tolerance, ok: largest <= tolerance };
}
