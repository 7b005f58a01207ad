struct Ell {
    rows: u32,
    width: u32,
    @align(16) columns: array<vec4<u32>, 64>,
}
@group(0) @binding(0) var<storage, read> ell: Ell;
@group(0) @binding(1) var<storage, read> values: array<f32>;
@group(0) @binding(2) var<storage, read> x: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;

fn column_of(slot: u32) -> u32 {
    return ell.columns[slot / 4u][slot % 4u];
}

@compute @workgroup_size(64, 1, 1)
fn spmv(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= ell.rows { return; }
    var sum: f32;
    for (var k: u32 = 0; k < ell.width; k += 1) {
        let slot = k * ell.rows + row;
        sum += values[slot] * x[column_of(slot)];
    }
    y[row] = sum;
}
