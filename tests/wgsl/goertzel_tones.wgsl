@group(0) @binding(0) var<storage, read> samples: array<f32>;
@group(0) @binding(1) var<storage, read> frequencies: array<f32>;
@group(0) @binding(2) var<storage, read_write> power: array<f32>;
@group(0) @binding(3) var<uniform> sample_rate: f32;

@compute @workgroup_size(16)
fn goertzel(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= arrayLength(&frequencies)) { return; }
    let w = 2.0 * acos(-1.0) * frequencies[id.x] / sample_rate;
    let coefficient = 2.0 * cos(w);
    var s1: f32 = 0; var s2: f32 = 0;
    let n = arrayLength(&samples);
    for (var i: u32 = 0; i < n; i++) {
        let s0 = samples[i] + coefficient * s1 - s2;
        s2 = s1;
        s1 = s0;
    }
    power[id.x] = s1 * s1 + s2 * s2 - coefficient * s1 * s2;
}
