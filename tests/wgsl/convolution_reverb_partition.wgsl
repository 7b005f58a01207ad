// Multiply-accumulate of spectra: one partition of an overlap-save convolution.
struct Spectrum { bins: array<vec2f, 513> }
@group(0) @binding(0) var<storage, read> input_spectra: array<Spectrum>;
@group(0) @binding(1) var<storage, read> impulse_spectra: array<Spectrum>;
@group(0) @binding(2) var<storage, read_write> sum: Spectrum;
@group(0) @binding(3) var<uniform> head: u32;

@compute @workgroup_size(64)
fn accumulate(@builtin(global_invocation_id) gid: vec3u) {
    let k = gid.x;
    if k >= 513u { return; }
    let partitions = arrayLength(&impulse_spectra);
    var acc = vec2f();
    for (var p = 0u; p < partitions; p++) {
        let a = input_spectra[(head + partitions - p) % partitions].bins[k];
        let b = impulse_spectra[p].bins[k];
        acc += vec2f(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
    }
    sum.bins[k] = acc;
}
