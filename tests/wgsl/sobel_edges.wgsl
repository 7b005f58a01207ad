@group(0) @binding(0) var<storage, read> luma: array<f32>;
@group(0) @binding(1) var<storage, read_write> magnitude: array<f32>;
@group(0) @binding(2) var<uniform> size: vec2u;

const KX = array<f32, 9>(-1, 0, 1, -2, 0, 2, -1, 0, 1);
const KY = array<f32, 9>(-1, -2, -1, 0, 0, 0, 1, 2, 1);

fn at(p: vec2i) -> f32 {
    let q = clamp(p, vec2i(0), vec2i(size) - 1);
    return luma[u32(q.y) * size.x + u32(q.x)];
}

@compute @workgroup_size(8, 8)
fn sobel(@builtin(global_invocation_id) gid: vec3u) {
    if any(gid.xy >= size) { return; }
    var g = vec2f();
    for (var j = 0; j < 3; j++) {
        for (var i = 0; i < 3; i++) {
            let v = at(vec2i(gid.xy) + vec2i(i, j) - 1);
            g += v * vec2f(KX[j * 3 + i], KY[j * 3 + i]);
        }
    }
    magnitude[gid.y * size.x + gid.x] = length(g);
}
