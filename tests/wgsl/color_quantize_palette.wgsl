override PALETTE_SIZE: i32 = 16;
@group(0) @binding(0) var<uniform> palette: array<vec4f, 256>;
@group(0) @binding(1) var<storage, read> pixels: array<u32>;
@group(0) @binding(2) var<storage, read_write> indices: array<u32>;

fn nearest(color: vec3f) -> u32 {
    var best = 0;
    for (var i = 1; i < PALETTE_SIZE; i++) {
        if distance(color, palette[i].rgb) < distance(color, palette[best].rgb) { best = i; }
    }
    return u32(best);
}

@compute @workgroup_size(64)
fn quantize(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let i = gid.x + groups.x * 64u * (gid.y + groups.y * gid.z);
    if i >= arrayLength(&pixels) { return; }
    indices[i] = nearest(unpack4x8unorm(pixels[i]).rgb);
}
