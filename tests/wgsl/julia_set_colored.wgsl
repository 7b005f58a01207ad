// Colours straight into packed RGBA, for putImageData.
struct Julia {
    c: vec2<f32>,
    zoom: f32,
    _unused: f32,
    resolution: vec2<u32>,
};
@group(0) @binding(0) var<uniform> julia: Julia;
@group(0) @binding(1) var<storage, read_write> rgba: array<u32>;

const ESCAPE = 256.0;
const STEPS = 200;

fn palette(t: f32) -> vec3<f32> {
    const a = vec3(0.5);
    const phase = vec3(0.0, 0.33, 0.67);
    return a + a * cos(6.28318 * (t + phase));
}

@compute @workgroup_size(16, 4)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= julia.resolution)) { return; }
    var z = (vec2<f32>(id.xy) / vec2<f32>(julia.resolution) * 2.0 - 1.0) / julia.zoom;
    var i = 0;
    for (; i < STEPS; i++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + julia.c;
        if dot(z, z) > ESCAPE { break; }
    }
    let color = palette(f32(i) / f32(STEPS));
    rgba[id.y * julia.resolution.x + id.x] = pack4x8unorm(vec4(color, 1.0));
}
