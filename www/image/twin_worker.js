// Runs the CPU twins of the image kernels away from the page, so that it stays responsive, and reports how far it is.
import { blurRows } from "./kernels/blur.js";
import { edgeRows } from "./kernels/edges.js";
import { countLevels } from "./kernels/histogram.js";

addEventListener("message", ({ data: { pixels, width, height, weights } }) => {
  const size = [width, height];
  const source = new Uint8Array(pixels.buffer);
  const across = new Uint8Array(source.length);
  const blurred = new Uint8Array(source.length);
  const edges = new Uint8Array(source.length);
  const sourceBins = new Uint32Array(256);
  const blurredBins = new Uint32Array(256);

  const ms = {
    blur:
      inBands("blur", height, 0, 0.5, (first, end) =>
        blurRows(source, weights, { size, step: [1, 0] }, across, first, end),
      ) +
      inBands("blur", height, 0.5, 1, (first, end) =>
        blurRows(across, weights, { size, step: [0, 1] }, blurred, first, end),
      ),
    edges: inBands("edges", height, 0, 1, (first, end) => edgeRows(blurred, size, edges, first, end)),
    histogram: inBands("histogram", height, 0, 1, (first, end) => {
      countLevels(source, sourceBins, first * width, end * width);
      countLevels(blurred, blurredBins, first * width, end * width);
    }),
  };

  const result = {
    blurred: new Uint32Array(blurred.buffer),
    edges: new Uint32Array(edges.buffer),
    sourceBins,
    blurredBins,
    ms,
  };
  postMessage({ result }, [blurred.buffer, edges.buffer, sourceBins.buffer, blurredBins.buffer]);
});

/** Does all rows in bands, telling the page the part that is done between `from` and `to`; gives the milliseconds of the work alone. */
function inBands(stage, height, from, to, work) {
  const band = Math.max(1, Math.ceil(height / 16));
  let ms = 0;
  for (let first = 0; first < height; first += band) {
    const end = Math.min(first + band, height);
    const start = performance.now();
    work(first, end);
    ms += performance.now() - start;
    postMessage({ stage, part: from + (to - from) * (end / height) });
  }
  return ms;
}
