/**
 * Half of a Gaussian kernel in fixed point, centre first: `radius + 1` weights that sum to 65,536 when the other half is added.
 * @param {number} radius pixels on each side, 1 or more
 */
export function gaussianWeights(radius) {
  const sigma = radius / 2;
  const bell = Array.from({ length: radius + 1 }, (_, tap) => Math.exp(-(tap * tap) / (2 * sigma * sigma)));
  const total = bell.reduce((sum, value, tap) => sum + (tap === 0 ? value : 2 * value), 0);
  const weights = Uint32Array.from(bell, (value) => Math.round((value / total) * 65536));
  weights[0] = 65536 - 2 * weights.subarray(1).reduce((sum, weight) => sum + weight, 0);
  return weights;
}

/**
 * The CPU twin of blur.wgsl: the same integers, for the rows `firstRow` up to `endRow`.
 * @param {Uint8Array} pixels RGBA bytes
 * @param {Uint32Array} weights as `gaussianWeights` makes them
 * @param {{ size: [number, number], step: [number, number] }} line
 * @param {Uint8Array} blurred where the rows are written
 */
export function blurRows(pixels, weights, { size: [width, height], step: [stepX] }, blurred, firstRow, endRow) {
  const radius = weights.length - 1;
  const last = (stepX ? width : height) - 1;
  const stride = stepX ? 4 : width * 4;
  for (let y = firstRow; y < endRow; y++) {
    for (let x = 0; x < width; x++) {
      const along = stepX ? x : y;
      const start = stepX ? y * width * 4 : x * 4;
      let red = 32768,
        green = 32768,
        blue = 32768,
        alpha = 32768;
      for (let tap = -radius; tap <= radius; tap++) {
        const position = along + tap;
        const source = start + (position < 0 ? 0 : position > last ? last : position) * stride;
        const weight = weights[tap < 0 ? -tap : tap];
        red += weight * pixels[source];
        green += weight * pixels[source + 1];
        blue += weight * pixels[source + 2];
        alpha += weight * pixels[source + 3];
      }
      const target = (y * width + x) * 4;
      blurred[target] = red >>> 16;
      blurred[target + 1] = green >>> 16;
      blurred[target + 2] = blue >>> 16;
      blurred[target + 3] = alpha >>> 16;
    }
  }
}
