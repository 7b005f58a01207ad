struct AttentionParams {
    tokens: u32,
    head_dim: u32,
    scale: f32,
    is_causal: u32,
}
@group(0) @binding(0) var<uniform> attention: AttentionParams;
@group(0) @binding(1) var<storage, read> query: array<f32>;
@group(0) @binding(2) var<storage, read> key: array<f32>;
@group(0) @binding(3) var<storage, read> value: array<f32>;
@group(0) @binding(4) var<storage, read_write> context: array<f32>;

const MAX_HEAD = 128;

fn score(q: u32, k: u32) -> f32 {
    var sum = 0.0;
    for (var i = 0u; i < attention.head_dim; i++) {
        sum += query[q * attention.head_dim + i] * key[k * attention.head_dim + i];
    }
    return sum * attention.scale;
}

// Online softmax: keeps a running maximum, and rescales what was gathered when it rises.
@compute @workgroup_size(32)
fn attend(@builtin(global_invocation_id) gid: vec3u) {
    let q = gid.x;
    if q >= attention.tokens { return; }
    var acc: array<f32, MAX_HEAD>;
    var largest = -1e30;
    var total = 0.0;
    let last = select(attention.tokens, q + 1u, attention.is_causal == 1u);
    for (var k = 0u; k < last; k++) {
        let s = score(q, k);
        let next = max(largest, s);
        let shrink = exp(largest - next);
        let weight = exp(s - next);
        total = total * shrink + weight;
        for (var i = 0u; i < attention.head_dim; i++) {
            acc[i] = acc[i] * shrink + weight * value[k * attention.head_dim + i];
        }
        largest = next;
    }
    for (var i = 0u; i < attention.head_dim; i++) {
        context[q * attention.head_dim + i] = acc[i] / total;
    }
}
