// Four columns at once: B and C are arrays of vec4, A is scalar.
alias Row = vec4<f32>;
alias Rows = array<Row>;

@group(0) @binding(0) var<storage, read> a : array<f32>;
@group(0) @binding(1) var<storage, read> b : Rows;
@group(0) @binding(2) var<storage, read_write> c : Rows;
@group(0) @binding(3) var<uniform> dims : vec3<u32>; // m, k, n / 4

@compute
@workgroup_size(64)
fn matmul_rows(@builtin(global_invocation_id) id : vec3<u32>) {
    let quads = dims.z;
    let row = id.x / quads;
    let quad = id.x % quads;
    if (row >= dims.x) { return; }
    var acc = Row();
    for (var k = 0u; k < dims.y; k++) {
        acc += a[row * dims.y + k] * b[k * quads + quad];
    }
    c[id.x] = acc;
}
