@group(0) @binding(0) var<storage, read_write> hits: atomic<u32>;
@group(0) @binding(1) var<uniform> per_lane: u32;

fn next(state: ptr<function, u32>) -> u32 {
    var s = *state;
    s ^= s << 13u; s ^= s >> 17u; s ^= s << 5u;
    *state = s;
    return s;
}

@compute @workgroup_size(128)
fn throw_darts(@builtin(global_invocation_id) gid: vec3u) {
    var state = gid.x * 2654435769u + 1u;
    var inside = 0u;
    for (var i = 0u; i < per_lane; i++) {
        let p = vec2f(f32(next(&state)), f32(next(&state))) / 4294967295.0;
        if (dot(p, p) <= 1.0) { inside += 1u; }
    }
    atomicAdd(&hits, inside);
}
