// y = A x, A in compressed sparse rows.
@group(0) @binding(0) var<storage, read> row_start: array<u32>;
@group(0) @binding(1) var<storage, read> column: array<u32>;
@group(0) @binding(2) var<storage, read> value: array<f32>;
@group(0) @binding(3) var<storage, read> x: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(128)
fn multiply(@builtin(global_invocation_id) id: vec3u) {
    let row = id.x;
    if row + 1 >= arrayLength(&row_start) { return; }
    var sum = 0f;
    for (var at = row_start[row]; at < row_start[row + 1]; at++) {
        sum += value[at] * x[column[at]];
    }
    y[row] = sum;
}
