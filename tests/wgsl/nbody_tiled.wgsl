const P = 128u;

@group(0) @binding(0) var<storage, read> positions: array<vec4f>; // xyz, mass
@group(0) @binding(1) var<storage, read_write> accelerations: array<vec4f>;

var<workgroup> tile: array<vec4f, P>;

fn pull(on: vec3f, by: vec4f) -> vec3f {
    let d = by.xyz - on;
    let inverse = inverseSqrt(dot(d, d) + 1e-4);
    return d * (by.w * inverse * inverse * inverse);
}

@compute @workgroup_size(P)
fn accumulate(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lane: u32) {
    let count = arrayLength(&positions);
    let me = positions[min(gid.x, count - 1)].xyz;
    var sum = vec3f();
    for (var start = 0u; start < count; start += P) {
        tile[lane] = vec4f();
        if start + lane < count { tile[lane] = positions[start + lane]; }
        workgroupBarrier();
        for (var k = 0u; k < P; k++) { sum += pull(me, tile[k]); }
        workgroupBarrier();
    }
    if gid.x < count { accelerations[gid.x] = vec4f(sum, 0.0); }
}
