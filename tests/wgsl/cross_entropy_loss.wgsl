@group(0) @binding(0) var<storage, read> logits: array<f32>;
@group(0) @binding(1) var<storage, read> labels: array<u32>;
@group(0) @binding(2) var<storage, read_write> losses: array<f32>;
@group(0) @binding(3) var<storage, read_write> gradients: array<f32>;
@id(7) override CLASSES: u32 = 10u;

@compute @workgroup_size(32)
fn backward(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= arrayLength(&labels) { return; }
    var m = logits[i * CLASSES];
    for (var c = 1u; c < CLASSES; c++) { m = max(m, logits[i * CLASSES + c]); }
    var total = 0.0;
    for (var c = 0u; c < CLASSES; c++) { total += exp(logits[i * CLASSES + c] - m); }
    losses[i] = log(total) + m - logits[i * CLASSES + labels[i]];
    for (var c = 0u; c < CLASSES; c++) {
        let p = exp(logits[i * CLASSES + c] - m) / total;
        gradients[i * CLASSES + c] = p - f32(c == labels[i]);
    }
}

/* Inference needs no labels: only `logits` and `losses` (as scores) are used. */
@compute @workgroup_size(32)
fn forward(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= arrayLength(&losses) { return; }
    var m = logits[i * CLASSES];
    for (var c = 1u; c < CLASSES; c++) { m = max(m, logits[i * CLASSES + c]); }
    losses[i] = m;
}
