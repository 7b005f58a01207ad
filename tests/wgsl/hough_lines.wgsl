const ANGLES = 180u;
struct Accumulator { radius_bins: u32, votes: array<atomic<u32>> }
@group(0) @binding(0) var<storage, read> edges: array<u32>;
@group(0) @binding(1) var<storage, read_write> accumulator: Accumulator;
@group(0) @binding(2) var<uniform> size: vec2<u32>;

@compute @workgroup_size(8, 8, 1)
fn vote(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= size) { return; }
    if edges[id.y * size.x + id.x] == 0u { return; }
    let diagonal = length(vec2<f32>(size));
    for (var a = 0u; a < ANGLES; a++) {
        let angle = radians(f32(a));
        let r = f32(id.x) * cos(angle) + f32(id.y) * sin(angle);
        let bin = u32((r / diagonal * 0.5 + 0.5) * f32(accumulator.radius_bins));
        atomicAdd(&accumulator.votes[bin * ANGLES + a], 1u);
    }
}
