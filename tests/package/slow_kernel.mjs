/**
 * WGSL that takes the compiler long: each function of `depth` levels calls the one below twice. About a second at 11, and
 * five times more with each further level. It writes `2 ** depth + depth * 2 ** (depth - 1)` to `y[0]`.
 */
export function slowKernel(depth) {
  const levels = Array.from({ length: depth }, (_, at) => `fn f${at + 1}(x: u32) -> u32 { return f${at}(x) + f${at}(x + 1u); }`);
  return `
@group(0) @binding(0) var<storage, read_write> y: array<u32>;
fn f0(x: u32) -> u32 { return x + 1u; }
${levels.join("\n")}
@compute @workgroup_size(1) fn slow() { y[0] = f${depth}(0u); }`;
}
