struct PoolSize { width: u32, height: u32, channels: u32 }
@group(0) @binding(0) var<uniform> in_size: PoolSize;
@group(0) @binding(1) var<storage, read> activations: array<f32>;
@group(0) @binding(2) var<storage, read_write> pooled: array<f32>;
@group(0) @binding(3) var<storage, read_write> winners: array<u32>;

@compute @workgroup_size(8, 8, 2)
fn pool(@builtin(global_invocation_id) o: vec3u) {
    let w = in_size.width / 2; let h = in_size.height / 2;
    if o.x >= w || o.y >= h || o.z >= in_size.channels { return; }
    var best = -3.402823e+38f;
    var best_at = 0u;
    for (var k = 0u; k < 4u; k++) {
        let at = (o.z * in_size.height + o.y * 2u + k / 2u) * in_size.width + o.x * 2u + k % 2u;
        if activations[at] > best { best = activations[at]; best_at = at; }
    }
    let to = (o.z * h + o.y) * w + o.x;
    pooled[to] = best;
    winners[to] = best_at;
}
