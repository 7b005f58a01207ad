struct Resize { from_size: vec2u, to_size: vec2u }
@group(0) @binding(0) var<uniform> resize: Resize;
@group(0) @binding(1) var<storage, read> from_image: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> to_image: array<vec4f>;

// Catmull-Rom
fn cubic(t: f32) -> vec4f {
    let t2 = t * t;
    let t3 = t2 * t;
    return 0.5 * vec4f(-t + 2.0 * t2 - t3, 2.0 - 5.0 * t2 + 3.0 * t3, t + 4.0 * t2 - 3.0 * t3, t3 - t2);
}

fn texel(p: vec2i) -> vec4f {
    let q = vec2u(clamp(p, vec2i(), vec2i(resize.from_size) - 1));
    return from_image[q.y * resize.from_size.x + q.x];
}

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= resize.to_size) { return; }
    let p = (vec2f(id.xy) + 0.5) * vec2f(resize.from_size) / vec2f(resize.to_size) - 0.5;
    let base = vec2i(floor(p));
    let wx = cubic(fract(p.x));
    let wy = cubic(fract(p.y));
    var sum = vec4f();
    for (var j = 0; j < 4; j++) {
        for (var i = 0; i < 4; i++) {
            sum += wx[i] * wy[j] * texel(base + vec2i(i - 1, j - 1));
        }
    }
    to_image[id.y * resize.to_size.x + id.x] = sum;
}
