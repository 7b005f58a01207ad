// Jump flooding: one step.
struct Jump { step: i32, size: vec2i }
@group(0) @binding(0) var<uniform> jump: Jump;
@group(0) @binding(1) var<storage, read> seeds: array<vec2i>;
@group(0) @binding(2) var<storage, read_write> seeds_next: array<vec2i>;
const NONE = vec2i(-1, -1);

@compute @workgroup_size(16, 16)
fn flood(@builtin(global_invocation_id) id: vec3u) {
    let p = vec2i(id.xy);
    if any(p >= jump.size) { return; }
    var best = NONE;
    var least = 0x7fffffff;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let q = p + vec2i(x, y) * jump.step;
            if any(q < vec2i()) || any(q >= jump.size) { continue; }
            let seed = seeds[q.y * jump.size.x + q.x];
            if all(seed == NONE) { continue; }
            let d = seed - p;
            let d2 = d.x * d.x + d.y * d.y;
            if d2 < least { least = d2; best = seed; }
        }
    }
    seeds_next[p.y * jump.size.x + p.x] = best;
}
