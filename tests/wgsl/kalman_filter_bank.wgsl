struct Track { state: vec4f, covariance: mat4x4f }
struct Measurement { position: vec2f, variance: vec2f, is_valid: u32 }
@group(0) @binding(0) var<storage, read_write> tracks: array<Track>;
@group(0) @binding(1) var<storage, read> measurements: array<Measurement>;
@group(0) @binding(2) var<uniform> dt: f32;
@group(0) @binding(3) var<uniform> process_noise: mat4x4<f32>;

const H = mat4x2f(1, 0, 0, 1, 0, 0, 0, 0);

fn invert(m: mat2x2f) -> mat2x2f {
    return mat2x2f(m[1][1], -m[0][1], -m[1][0], m[0][0]) * (1.0 / determinant(m));
}

@compute @workgroup_size(32)
fn update(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&tracks) { return; }
    let f = mat4x4f(1, 0, 0, 0, 0, 1, 0, 0, dt, 0, 1, 0, 0, dt, 0, 1);
    var x = f * tracks[gid.x].state;
    var p = f * tracks[gid.x].covariance * transpose(f) + process_noise;
    let z = measurements[gid.x];
    if z.is_valid != 0u {
        let r = mat2x2f(z.variance.x, 0, 0, z.variance.y);
        let gain = p * transpose(H) * invert(H * p * transpose(H) + r);
        x += gain * (z.position - H * x);
        p -= gain * H * p;
    }
    tracks[gid.x] = Track(x, p);
}
