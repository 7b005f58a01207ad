const TAPS: u32 = 63;
const PADDED = (TAPS + 3) / 4;

@group(0) @binding(0) var<uniform> taps: array<vec4<f32>, PADDED>;
@group(0) @binding(1) var<storage, read> signal_in: array<f32>;
@group(0) @binding(2) var<storage, read_write> signal_out: array<f32>;

@compute @workgroup_size(256)
fn fir(@builtin(global_invocation_id) gid: vec3u) {
    let n = gid.x;
    if n >= arrayLength(&signal_in) { return; }
    var acc = 0.0;
    for (var k = 0u; k < min(TAPS, n + 1u); k++) {
        acc += taps[k >> 2u][k & 3u] * signal_in[n - k];
    }
    signal_out[n] = acc;
}
