@group(0) @binding(0) var<storage, read> fine: array<f32>;
@group(0) @binding(1) var<storage, read_write> coarse: array<f32>;
@group(1) @binding(0) var<uniform> coarse_size: vec3<u32>;

fn fine_at(p: vec3<u32>) -> f32 {
    let n = coarse_size * 2u;
    return fine[(p.z * n.y + p.y) * n.x + p.x];
}

@compute @workgroup_size(4, 4, 2)
fn restrict_(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id >= coarse_size)) { return; }
    var sum = 0.0;
    for (var corner = 0u; corner < 8u; corner += 1u) {
        sum += fine_at(id * 2u + ((vec3<u32>(corner) >> vec3<u32>(0u, 1u, 2u)) & vec3<u32>(1u)));
    }
    coarse[(id.z * coarse_size.y + id.y) * coarse_size.x + id.x] = 0.125 * sum;
}
