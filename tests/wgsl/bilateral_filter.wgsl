struct Bilateral {
    sigma_space: f32,
    sigma_range: f32,
    radius: i32,
    stride: u32,
}
var<private> center: vec3f;
@group(0) @binding(0) var<uniform> bilateral: Bilateral;
@group(0) @binding(1) var<storage> noisy: array<vec3f>;
@group(0) @binding(2) var<storage, read_write> smooth_image: array<vec3f>;

fn weight(offset: vec2i, color: vec3f) -> f32 {
    let s = dot(vec2f(offset), vec2f(offset)) / (2.0 * bilateral.sigma_space * bilateral.sigma_space);
    let r = color - center;
    return exp(-s - dot(r, r) / (2.0 * bilateral.sigma_range * bilateral.sigma_range));
}

@compute @workgroup_size(16, 8)
fn bilateral_filter(@builtin(global_invocation_id) id: vec3u) {
    let rows = arrayLength(&noisy) / bilateral.stride;
    if id.x >= bilateral.stride || id.y >= rows { return; }
    center = noisy[id.y * bilateral.stride + id.x];
    var sum = vec4f();
    for (var dy = -bilateral.radius; dy <= bilateral.radius; dy++) {
        for (var dx = -bilateral.radius; dx <= bilateral.radius; dx++) {
            let p = vec2i(id.xy) + vec2i(dx, dy);
            if p.x < 0 || p.y < 0 || p.x >= i32(bilateral.stride) || p.y >= i32(rows) { continue; }
            let c = noisy[u32(p.y) * bilateral.stride + u32(p.x)];
            sum += vec4f(c, 1.0) * weight(vec2i(dx, dy), c);
        }
    }
    smooth_image[id.y * bilateral.stride + id.x] = sum.rgb / sum.w;
}
