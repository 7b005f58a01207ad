@group(0) @binding(0) var<storage, read> coefficients: array<array<i32, 64>>;
@group(0) @binding(1) var<storage, read_write> ordered: array<array<i32, 64>>;

const ZIGZAG = array(
     0u,  1,  8, 16,  9,  2,  3, 10, 17, 24, 32, 25, 18, 11,  4,  5,
    12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,  6,  7, 14, 21, 28,
    35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
    58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
);

@compute @workgroup_size(64)
fn zigzag(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_index) i: u32) {
    ordered[block.x][i] = coefficients[block.x][ZIGZAG[i]];
}
