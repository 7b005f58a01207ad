/** Brightness 0 to 255 of the RGBA pixel that starts at byte `start`; the integers of the kernels. */
export function luma(pixels, start) {
  return (77 * pixels[start] + 150 * pixels[start + 1] + 29 * pixels[start + 2] + 128) >> 8;
}

/**
 * The CPU twin of histogram.wgsl: adds the pixels of `firstPixel` up to `endPixel` to the 256 `bins`.
 * @param {Uint8Array} pixels RGBA bytes
 * @param {Uint32Array} bins
 */
export function countLevels(pixels, bins, firstPixel, endPixel) {
  for (let start = firstPixel * 4; start < endPixel * 4; start += 4) bins[luma(pixels, start)]++;
}
