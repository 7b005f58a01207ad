import { luma } from "./histogram.js";

/**
 * The CPU twin of edges.wgsl, for the rows `firstRow` up to `endRow`.
 * @param {Uint8Array} pixels RGBA bytes
 * @param {[number, number]} size width and height
 * @param {Uint8Array} edges where the rows are written
 */
export function edgeRows(pixels, [width, height], edges, firstRow, endRow) {
  const row = (y) => {
    const inside = Math.min(Math.max(y, 0), height - 1);
    const brightness = new Int32Array(width + 2);
    for (let x = 0; x < width; x++) brightness[x + 1] = luma(pixels, (inside * width + x) * 4);
    brightness[0] = brightness[1];
    brightness[width + 1] = brightness[width];
    return brightness;
  };
  let above = row(firstRow - 1);
  let here = row(firstRow);
  for (let y = firstRow; y < endRow; y++) {
    const below = row(y + 1);
    for (let x = 0; x < width; x++) {
      const west = x,
        centre = x + 1,
        east = x + 2;
      const across = above[east] + 2 * here[east] + below[east] - above[west] - 2 * here[west] - below[west];
      const down = below[west] + 2 * below[centre] + below[east] - above[west] - 2 * above[centre] - above[east];
      const target = (y * width + x) * 4;
      edges[target] =
        edges[target + 1] =
        edges[target + 2] =
          Math.min(Math.round(Math.sqrt(across * across + down * down)), 255);
      edges[target + 3] = 255;
    }
    above = here;
    here = below;
  }
}
