/**
 * A picture in memory.
 * @typedef {object} Picture
 * @property {string} name
 * @property {number} width in pixels
 * @property {number} height in pixels
 * @property {Uint32Array<ArrayBuffer>} pixels one RGBA pixel per element, row by row
 * @property {string} [note] what was changed to make it fit, if anything
 */

/**
 * The largest size of the same shape whose pixels fit into one storage buffer.
 * @param {number} width
 * @param {number} height
 * @param {Readonly<Record<string, number>>} [limits] of the device; without one nothing is limited
 * @returns {{ width: number, height: number, limit?: string }} `limit` names the limit that made it smaller
 */
export function fittingSize(width, height, limits) {
  if (!limits) return { width, height };
  const limit =
    limits.maxBufferSize < limits.maxStorageBufferBindingSize ? "maxBufferSize" : "maxStorageBufferBindingSize";
  const most = Math.floor(limits[limit] / 4);
  if (width * height <= most) return { width, height };
  const scale = Math.sqrt(most / (width * height));
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)), limit };
}

/**
 * The pixels of anything a canvas can draw. What is transparent is laid on white.
 * @param {CanvasImageSource & { width: number, height: number }} source
 * @param {string} name
 * @param {Readonly<Record<string, number>>} [limits] of the device the pixels are for
 * @returns {Picture}
 */
export function pictureOf(source, name, limits) {
  const { width, height, limit } = fittingSize(source.width, source.height, limits);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(source, 0, 0, width, height);
  const { data } = context.getImageData(0, 0, width, height);
  const note =
    limit && `Sized down from ${source.width} × ${source.height}: ${limit} of this device is ${limits[limit]} bytes.`;
  return { name, width, height, pixels: new Uint32Array(data.buffer), note };
}

/**
 * The picture in an image file.
 * @param {File} file
 * @param {Readonly<Record<string, number>>} [limits] of the device the pixels are for
 * @throws {Error} when the browser cannot decode the file
 */
export async function pictureOfFile(file, limits) {
  let image;
  try {
    image = await createImageBitmap(file);
  } catch (cause) {
    throw new Error(`${file.name} is not an image that this browser can decode.`, { cause });
  }
  try {
    return pictureOf(image, file.name, limits);
  } finally {
    image.close();
  }
}

/**
 * Paints pixels onto a canvas, at most `widest` pixels wide, since a page shows them smaller than they are.
 * @param {HTMLCanvasElement} canvas
 * @param {{ width: number, height: number, pixels: Uint32Array<ArrayBuffer> }} picture
 */
export async function paint(canvas, { width, height, pixels }, widest = 1200) {
  const bytes = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  const scale = Math.min(1, widest / width);
  const image = await createImageBitmap(new ImageData(bytes, width, height), {
    resizeWidth: Math.max(1, Math.round(width * scale)),
    resizeHeight: Math.max(1, Math.round(height * scale)),
    resizeQuality: "high",
  });
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("bitmaprenderer").transferFromImageBitmap(image);
}
