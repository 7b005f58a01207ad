struct Scalars { alpha: f32, beta: f32, rr: f32 }
@group(0) @binding(0) var<storage, read> scalars: Scalars;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> r: array<f32>;
@group(0) @binding(3) var<storage, read_write> p: array<f32>;
@group(0) @binding(4) var<storage, read> ap: array<f32>;

fn in_range(i: u32) -> bool { return i < arrayLength(&x); }

@compute @workgroup_size(128)
fn step_x_r(@builtin(global_invocation_id) gid: vec3u) {
    if !in_range(gid.x) { return; }
    x[gid.x] += scalars.alpha * p[gid.x];
    r[gid.x] -= scalars.alpha * ap[gid.x];
}

@compute @workgroup_size(128)
fn step_p(@builtin(global_invocation_id) gid: vec3u) {
    if !in_range(gid.x) { return; }
    p[gid.x] = r[gid.x] + scalars.beta * p[gid.x];
}
