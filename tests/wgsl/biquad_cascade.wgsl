// Many channels at once, each one filtered from left to right.
struct Biquad { b0: f32, b1: f32, b2: f32, a1: f32, a2: f32, @size(12) gain: f32 }
struct State { z: array<vec2f, 4> }

@group(0) @binding(0) var<uniform> sections: array<Biquad, 4>;
@group(0) @binding(1) var<storage, read_write> states: array<State>;
@group(0) @binding(2) var<storage, read_write> samples: array<f32>;
@group(0) @binding(3) var<uniform> frames: u32;

@compute @workgroup_size(32)
fn cascade(@builtin(global_invocation_id) gid: vec3u) {
    let channel = gid.x;
    let channels = arrayLength(&states);
    if channel >= channels { return; }
    for (var n = 0u; n < frames; n++) {
        var x = samples[n * channels + channel];
        for (var s = 0; s < 4; s++) {
            let q = sections[s];
            let z = &states[channel].z[s];
            let y = q.b0 * x + (*z).x;
            *z = vec2f(q.b1 * x - q.a1 * y + (*z).y, q.b2 * x - q.a2 * y);
            x = y * q.gain;
        }
        samples[n * channels + channel] = x;
    }
}
