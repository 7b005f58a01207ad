struct Level { length: u32 }
@group(0) @binding(0) var<uniform> level: Level;
@group(0) @binding(1) var<storage, read> samples: array<f32>;
@group(0) @binding(2) var<storage, read_write> coefficients: array<f32>;

@compute @workgroup_size(64)
fn analyze(@builtin(global_invocation_id) gid: vec3u) {
    let half_length = level.length / 2u;
    if gid.x >= half_length { return; }
    let a = samples[2u * gid.x];
    let b = samples[2u * gid.x + 1u];
    coefficients[gid.x] = (a + b) * 0.70710678;
    coefficients[half_length + gid.x] = (a - b) * 0.70710678;
}
