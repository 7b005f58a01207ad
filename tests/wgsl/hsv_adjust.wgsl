struct Adjust {
    hue: f32,
    saturation: f32,
    @align(8) value: f32,
}
@group(0) @binding(0) var<storage, read_write> pixels: array<vec4f>;
@group(3) @binding(11) var<uniform> adjust: Adjust;

fn rgb2hsv(c: vec3f) -> vec3f {
    let K = vec4f(0, -1. / 3., 2. / 3., -1);
    let p = mix(vec4f(c.bg, K.wz), vec4f(c.gb, K.xy), step(c.b, c.g));
    let q = mix(vec4f(p.xyw, c.r), vec4f(c.r, p.yzx), step(p.x, c.r));
    let d = q.x - min(q.w, q.y);
    return vec3f(abs(q.z + (q.w - q.y) / (6. * d + 1.0e-10)), d / (q.x + 1.0e-10), q.x);
}

fn hsv2rgb(c: vec3f) -> vec3f {
    let p = abs(fract(c.xxx + vec3f(1, 2. / 3., 1. / 3.)) * 6. - 3.);
    return c.z * mix(vec3f(1), clamp(p - 1., vec3f(), vec3f(1)), c.y);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&pixels) { return; }
    var hsv = rgb2hsv(pixels[gid.x].rgb);
    hsv.x = fract(hsv.x + adjust.hue);
    hsv.y *= adjust.saturation;
    hsv.z *= adjust.value;
    pixels[gid.x] = vec4f(hsv2rgb(hsv), pixels[gid.x].a);
}
