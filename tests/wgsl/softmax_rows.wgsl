const LANES = 64u;
@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read_write> probabilities: array<f32>;
@group(0) @binding(2) var<uniform> columns: u32;

var<workgroup> shared_max: array<f32, LANES>;
var<workgroup> shared_sum: array<f32, LANES>;

fn tree(lane: u32, is_max: bool) {
    for (var s = LANES / 2u; s > 0u; s /= 2u) {
        workgroupBarrier();
        if lane < s {
            if is_max { shared_max[lane] = max(shared_max[lane], shared_max[lane + s]); }
            else { shared_sum[lane] += shared_sum[lane + s]; }
        }
    }
    workgroupBarrier();
}

@compute @workgroup_size(LANES)
fn softmax(@builtin(workgroup_id) row: vec3u, @builtin(local_invocation_index) lane: u32) {
    let base = row.x * columns;
    var m = -3.4e38;
    for (var c = lane; c < columns; c += LANES) { m = max(m, logits[base + c]); }
    shared_max[lane] = m;
    tree(lane, true);
    let largest = shared_max[0];
    var sum = 0.0;
    for (var c = lane; c < columns; c += LANES) { sum += exp(logits[base + c] - largest); }
    shared_sum[lane] = sum;
    tree(lane, false);
    for (var c = lane; c < columns; c += LANES) {
        probabilities[base + c] = exp(logits[base + c] - largest) / shared_sum[0];
    }
}
