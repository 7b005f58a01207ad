const BINS: i32 = 1 << 6u;
struct Exposure { average: f32, bins: array<atomic<u32>, BINS> }
@group(0) @binding(0) var<storage, read> hdr: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> exposure: Exposure;
@group(0) @binding(2) var<uniform> speed: f32;

@compute @workgroup_size(BINS * 4)
fn bin(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&hdr) { return; }
    let luminance = dot(hdr[gid.x].rgb, vec3f(0.2126, 0.7152, 0.0722));
    let index = i32(clamp(log2(max(luminance, 1e-4)) * 4.0 + 32.0, 0.0, f32(BINS - 1)));
    atomicAdd(&exposure.bins[index], 1u);
}

@compute @workgroup_size(1)
fn adapt() {
    var sum = 0.0;
    var count = 0.0;
    for (var i = 0; i < BINS; i++) {
        let n = f32(atomicExchange(&exposure.bins[i], 0u));
        sum += n * (f32(i) - 32.0) / 4.0;
        count += n;
    }
    exposure.average = mix(exposure.average, exp2(sum / max(count, 1.0)), speed);
}
