const grouped = new Intl.NumberFormat("en-GB");

/** A whole number with thousands separated: `12,000,000`. */
export function integer(value) {
  return grouped.format(value);
}

/** A duration with three meaningful digits: `0.412 ms`, `41.2 ms`, `1,234 ms`. */
export function milliseconds(ms) {
  return `${threeDigits(ms)} ms`;
}

/** A duration given in milliseconds, said in microseconds: `3.25 µs`. */
export function microseconds(ms) {
  return `${threeDigits(ms * 1000)} µs`;
}

/** A size in the unit that keeps it readable: `512 B`, `47.1 KiB`, `45.8 MiB`. */
export function bytes(size) {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${threeDigits(size / 1024)} KiB`;
  return `${threeDigits(size / (1024 * 1024))} MiB`;
}

/** The shortest decimal that names this f32: `1.4142135` and not `1.4142135381698608`. */
export function shortestF32(value) {
  if (!Number.isFinite(value) || Number.isInteger(value)) return String(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits);
    if (Math.fround(Number(text)) === value) return String(Number(text));
  }
  return String(Number(value.toPrecision(9)));
}

/** A typed array as a console shows it: `Float32Array [2, 4, 6]`, cut after `most` elements with the number left out. */
export function typedArray(array, most = 64) {
  const shown = Array.from(array.subarray(0, most), array instanceof Float32Array ? shortestF32 : String);
  if (array.length > most) shown.push(`… ${integer(array.length - most)} more`);
  return `${array.constructor.name} [${shown.join(", ")}]`;
}

function threeDigits(value) {
  if (value >= 100) return integer(Math.round(value));
  return value.toFixed(value >= 10 ? 1 : value >= 1 ? 2 : 3);
}
