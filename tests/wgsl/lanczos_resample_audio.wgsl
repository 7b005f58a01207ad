@group(0) @binding(0) var<storage, read> input_samples: array<f32>;
@group(0) @binding(1) var<storage, read_write> output_samples: array<f32>;
@group(0) @binding(2) var<uniform> ratio: f32;

const A: i32 = 3;
const PI: f32 = 3.14159265358979;

fn sinc(x: f32) -> f32 {
    if (abs(x) < 1e-5) { return 1.0; }
    return sin(PI * x) / (PI * x);
}
fn lanczos(x: f32) -> f32 { return sinc(x) * sinc(x / f32(A)); }

@compute @workgroup_size(128)
fn resample(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = i32(arrayLength(&input_samples));
    if (id.x >= arrayLength(&output_samples)) { return; }
    let center = f32(id.x) * ratio;
    let first = i32(floor(center)) - A + 1;
    var sum = 0.0;
    for (var i = first; i < first + 2 * A; i++) {
        if (i >= 0 && i < n) { sum += input_samples[i] * lanczos(center - f32(i)); }
    }
    output_samples[id.x] = sum;
}
