struct Rope { heads: u32, head_dim: u32, position: u32, theta: f32 }
@group(0) @binding(0) var<storage, read_write> vectors: array<vec2f>;
@group(0) @binding(1) var<uniform> rope: Rope;

@compute @workgroup_size(64)
fn rotate(@builtin(global_invocation_id) gid: vec3u) {
    let pairs = rope.head_dim / 2u;
    if gid.x >= pairs * rope.heads { return; }
    let pair = gid.x % pairs;
    let angle = f32(rope.position) * pow(rope.theta, -2.0 * f32(pair) / f32(rope.head_dim));
    let c = cos(angle);
    let s = sin(angle);
    vectors[gid.x] = mat2x2f(c, s, -s, c) * vectors[gid.x];
}
