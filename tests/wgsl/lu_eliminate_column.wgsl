struct Step { n: u32, pivot: u32 }
@group(0) @binding(0) var<storage, read_write> a: array<f32>;
@group(0) @binding(1) var<uniform> step_: Step;

@compute @workgroup_size(8, 8)
fn eliminate(@builtin(global_invocation_id) gid: vec3u) {
    let k = step_.pivot;
    let row = gid.y + k + 1u;
    let column = gid.x + k + 1u;
    if row >= step_.n || column >= step_.n { return; }
    let factor = a[row * step_.n + k] / a[k * step_.n + k];
    a[row * step_.n + column] -= factor * a[k * step_.n + column];
}

@compute @workgroup_size(64)
fn store_factors(@builtin(global_invocation_id) gid: vec3u) {
    let k = step_.pivot;
    let row = gid.x + k + 1u;
    if row < step_.n { a[row * step_.n + k] /= a[k * step_.n + k]; }
}
