// naga 30 holds arrays in uniforms to a stride of 16.
requires uniform_buffer_standard_layout;

struct Kernel { radius: i32, taps: array<f32, 7>, scale: vec2<f32>, tail: array<array<u32, 3>, 2> }
@group(0) @binding(0) var<uniform> kernel_taps: Kernel;
@group(0) @binding(1) var<storage, read> row: array<f32>;
@group(0) @binding(2) var<storage, read_write> smooth_row: array<f32>;

@compute @workgroup_size(128)
fn convolve(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = i32(arrayLength(&row));
    if i32(id.x) >= n { return; }
    var sum = 0.0;
    for (var k = -kernel_taps.radius; k <= kernel_taps.radius; k++) {
        sum += kernel_taps.taps[k + kernel_taps.radius] * row[clamp(i32(id.x) + k, 0, n - 1)];
    }
    smooth_row[id.x] = sum * kernel_taps.scale.x;
}
