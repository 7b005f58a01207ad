@group(0) @binding(0) var<uniform> sim: vec4f; // dt, dissipation, width, height
@group(0) @binding(1) var<storage, read> velocity: array<vec2f>;
@group(0) @binding(2) var<storage, read> quantity: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> advected: array<vec4f>;

fn fetch(p: vec2i) -> vec4f {
    let q = clamp(p, vec2i(0), vec2i(sim.zw) - 1);
    return quantity[q.y * i32(sim.z) + q.x];
}

fn bilerp(p: vec2f) -> vec4f {
    let i = vec2i(floor(p));
    let f = fract(p);
    return mix(mix(fetch(i), fetch(i + vec2i(1, 0)), f.x), mix(fetch(i + vec2i(0, 1)), fetch(i + vec2i(1, 1)), f.x), f.y);
}

@compute @workgroup_size(8, 8)
fn advect(@builtin(global_invocation_id) gid: vec3u) {
    if f32(gid.x) >= sim.z || f32(gid.y) >= sim.w { return; }
    let at = gid.y * u32(sim.z) + gid.x;
    advected[at] = bilerp(vec2f(gid.xy) - sim.x * velocity[at]) / (1.0 + sim.y * sim.x);
}
