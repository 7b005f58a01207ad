@group(0) @binding(0) var<storage, read> hdr: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> ldr: array<u32>;
@group(0) @binding(2) var<storage, read> exposure: f32;

fn aces(x: vec3f) -> vec3f {
    const a = 2.51;
    const b = 0.03;
    const c = 2.43;
    const d = 0.59;
    const e = 0.14;
    return saturate((x * (a * x + b)) / (x * (c * x + d) + e));
}

@compute @workgroup_size(16 * 16)
fn tonemap(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x < arrayLength(&hdr) {
        ldr[gid.x] = pack4x8unorm(vec4f(aces(hdr[gid.x].rgb * exposure), 1));
    }
}
