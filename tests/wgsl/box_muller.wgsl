@group(0) @binding(0) var<storage, read> uniform_pairs: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> normal_pairs: array<vec2f>;
struct Distribution { mean: f32, deviation: f32 }
@group(0) @binding(2) var<uniform> distribution: Distribution;
const TAU = radians(360.0);

@compute @workgroup_size(64) fn to_normal(@builtin(global_invocation_id) g: vec3u) {
    if (g.x >= arrayLength(&uniform_pairs)) { return; }
    let u = uniform_pairs[g.x];
    let r = sqrt(-2 * log(max(u.x, 1e-7)));
    let pair = r * vec2f(cos(TAU * u.y), sin(TAU * u.y));
    normal_pairs[g.x] = distribution.mean + distribution.deviation * pair;
}
