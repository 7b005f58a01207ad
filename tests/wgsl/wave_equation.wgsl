struct Wave { c2: f32, damping: f32, n: vec2<i32>, source: vec2<i32>, amplitude: f32 }
@group(0) @binding(0) var<uniform> wave: Wave;
@group(0) @binding(1) var<storage, read> previous: array<f32>;
@group(0) @binding(2) var<storage, read> present: array<f32>;
@group(0) @binding(3) var<storage, read_write> future: array<f32>;

fn u(p: vec2<i32>) -> f32 {
    if (p.x < 0 || p.y < 0 || p.x >= wave.n.x || p.y >= wave.n.y) { return 0.0; }
    return present[p.y * wave.n.x + p.x];
}

@compute @workgroup_size(8, 8, 1)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
    let p = vec2<i32>(id.xy);
    if (p.x >= wave.n.x || p.y >= wave.n.y) { return; }
    let here = p.y * wave.n.x + p.x;
    let laplace = u(p + vec2(1, 0)) + u(p - vec2(1, 0)) + u(p + vec2(0, 1)) + u(p - vec2(0, 1)) - 4.0 * u(p);
    var v = 2.0 * present[here] - previous[here] + wave.c2 * laplace;
    v *= 1.0 - wave.damping;
    if (all(p == wave.source)) { v += wave.amplitude; }
    future[here] = v;
}
