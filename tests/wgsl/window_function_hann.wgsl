override SIZE = 1024i;
override SCALE: f32 = 1.0;
@id(42) override PERIODIC: bool = true;
override OFFSET = 0.5;
@group(0) @binding(0) var<storage, read_write> samples: array<f32>;

@compute @workgroup_size(64)
fn hann(@builtin(global_invocation_id) gid: vec3u) {
    let n = i32(gid.x);
    if n >= SIZE || gid.x >= arrayLength(&samples) { return; }
    let period = f32(select(SIZE - 1, SIZE, PERIODIC));
    samples[gid.x] *= SCALE * (OFFSET - (1.0 - OFFSET) * cos(6.2831853 * f32(n) / period));
}
