diagnostic(off, derivative_uniformity);
enable f16;

struct Volume { size: vec3u, iso: f16, spacing: vec3<f16> }
@group(0) @binding(0) var<uniform> volume: Volume;
@group(0) @binding(1) var<storage, read> density: array<f16>;
@group(0) @binding(2) var<storage, read_write> cases: array<u32>;
@group(0) @binding(3) var<storage, read_write> occupied: atomic<u32>;

fn corner(cell: vec3u, k: u32) -> u32 {
    let p = cell + vec3u(k & 1u, (k >> 1u) & 1u, k >> 2u);
    return (p.z * volume.size.y + p.y) * volume.size.x + p.x;
}

@diagnostic(warning, derivative_uniformity)
@compute @workgroup_size(4, 4, 4)
fn classify(@builtin(global_invocation_id) cell: vec3u) {
    if any(cell + 1u >= volume.size) { return; }
    var case_index = 0u;
    for (var k = 0u; k < 8u; k++) {
        if density[corner(cell, k)] > volume.iso { case_index |= 1u << k; }
    }
    cases[corner(cell, 0u)] = case_index;
    if case_index != 0u && case_index != 255u { atomicAdd(&occupied, 1u); }
}
