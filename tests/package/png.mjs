import { deflateSync } from "node:zlib";

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const EIGHT_BIT_RGBA = Buffer.from([8, 6, 0, 0, 0]);

/**
 * A PNG file with these pixels.
 *
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array} rgba four bytes for each pixel, row by row
 * @returns {Buffer}
 */
export function encodePng(width, height, rgba) {
  const size = Buffer.alloc(8);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  const stride = width * 4;
  const unfiltered = Buffer.alloc(1);
  const rows = Array.from({ length: height }, (_, y) => [
    unfiltered,
    rgba.subarray(y * stride, (y + 1) * stride),
  ]).flat();
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", Buffer.concat([size, EIGHT_BIT_RGBA])),
    chunk("IDAT", deflateSync(Buffer.concat(rows), { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
