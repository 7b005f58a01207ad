override KERNEL_WIDTH: u32 = 4;
override CHANNELS: u32;

@group(0) @binding(0) var<storage, read> sequence: array<f32>;
@group(0) @binding(1) var<storage, read> taps: array<f32>;
@group(0) @binding(2) var<storage, read_write> filtered: array<f32>;

@compute @workgroup_size(CHANNELS)
fn causal(@builtin(local_invocation_id) channel: vec3u, @builtin(workgroup_id) step: vec3u) {
    var acc = 0.0;
    for (var k = 0u; k < KERNEL_WIDTH; k += 1) {
        if step.x + k + 1 >= KERNEL_WIDTH {
            let t = step.x + k + 1 - KERNEL_WIDTH;
            acc += taps[channel.x * KERNEL_WIDTH + k] * sequence[t * CHANNELS + channel.x];
        }
    }
    filtered[step.x * CHANNELS + channel.x] = acc;
}
