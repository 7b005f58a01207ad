requires packed_4x8_integer_dot_product;
enable f16;

struct Q4 { scale: f16, zero: f16, nibbles: array<u32, 4> }

@group(0) @binding(0) var<storage, read> matrix: array<Q4>;
@group(0) @binding(1) var<storage, read> vector: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;
@group(0) @binding(3) var<uniform> blocks_per_row: u32;

fn nibble(word: u32, k: u32) -> f32 { return f32((word >> (4u * k)) & 15u); }

@compute @workgroup_size(32)
fn matvec(@builtin(global_invocation_id) gid: vec3<u32>) {
    let row = gid.x;
    if row >= arrayLength(&result) { return; }
    var sum = 0.0f;
    for (var b = 0u; b < blocks_per_row; b++) {
        let block = row * blocks_per_row + b;
        let scale = f32(matrix[block].scale);
        let zero = f32(matrix[block].zero);
        for (var i = 0u; i < 32u; i++) {
            let w = scale * (nibble(matrix[block].nibbles[i / 8u], i % 8u) - zero);
            sum = fma(w, vector[b * 32u + i], sum);
        }
    }
    result[row] = sum;
}
