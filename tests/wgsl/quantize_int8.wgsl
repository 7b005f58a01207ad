struct Block { scale: f32, packed_values: array<u32, 8> }

@group(0) @binding(0) var<storage, read> weights: array<f32>;
@group(0) @binding(1) var<storage, read_write> blocks: array<Block>;

@compute @workgroup_size(64)
fn quantize(@builtin(global_invocation_id) gid: vec3u) {
    let b = gid.x;
    if b >= arrayLength(&blocks) { return; }
    var largest = 0.0;
    for (var i = 0u; i < 32u; i++) { largest = max(largest, abs(weights[b * 32u + i])); }
    let scale = largest / 127.0;
    blocks[b].scale = scale;
    for (var w = 0u; w < 8u; w++) {
        var word = 0u;
        for (var k = 0u; k < 4u; k++) {
            let q = i32(round(weights[b * 32u + w * 4u + k] / max(scale, 1e-20)));
            word = insertBits(word, bitcast<u32>(q), k * 8u, 8u);
        }
        blocks[b].packed_values[w] = word;
    }
}
