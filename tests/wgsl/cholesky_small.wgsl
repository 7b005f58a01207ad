// Factors many small matrices, one an invocation, in private memory.
const N = 4;
const PACKED = N * (N + 1) / 2;
alias Triangle = array<f32, PACKED>;
@group(0) @binding(0) var<storage, read> matrices: array<mat4x4<f32>>;
@group(0) @binding(1) var<storage, read_write> factors: array<Triangle>;
@group(0) @binding(2) var<storage, read_write> is_positive: array<u32>;

fn packed_index(row: i32, column: i32) -> i32 { return row * (row + 1) / 2 + column; }

@compute @workgroup_size(64)
fn cholesky(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&matrices) { return; }
    let m = matrices[id.x];
    var l: Triangle;
    var positive = true;
    for (var j = 0; j < N; j++) {
        for (var i = j; i < N; i++) {
            var sum = m[j][i];
            for (var k = 0; k < j; k++) { sum -= l[packed_index(i, k)] * l[packed_index(j, k)]; }
            if i == j {
                positive = positive && sum > 0.0;
                l[packed_index(j, j)] = sqrt(max(sum, 0.0));
            } else {
                l[packed_index(i, j)] = sum / l[packed_index(j, j)];
            }
        }
    }
    factors[id.x] = l;
    is_positive[id.x] = u32(positive);
}
