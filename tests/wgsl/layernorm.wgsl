struct Normalization { columns: u32, epsilon: f32 }

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read> gamma: array<f32>;
@group(0) @binding(2) var<storage, read> beta: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<uniform> normalization: Normalization;

@compute @workgroup_size(32)
fn layernorm(@builtin(global_invocation_id) row: vec3u) {
    let n = normalization.columns;
    let base = row.x * n;
    if base >= arrayLength(&x) { return; }
    // Welford: one pass, no cancellation.
    var mean = 0.0;
    var m2 = 0.0;
    for (var i = 0u; i < n; i++) {
        let value = x[base + i];
        let delta = value - mean;
        mean += delta / f32(i + 1u);
        m2 += delta * (value - mean);
    }
    let scale = inverseSqrt(m2 / f32(n) + normalization.epsilon);
    for (var i = 0u; i < n; i++) {
        y[base + i] = (x[base + i] - mean) * scale * gamma[i] + beta[i];
    }
}
