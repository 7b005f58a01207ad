@group(0) @binding(0) var<storage, read> original: array<f32>;
@group(0) @binding(1) var<storage, read> blurred: array<f32>;
@group(0) @binding(2) var<storage, read_write> sharpened: array<f32>;
@group(0) @binding(3) var<uniform> amount: f32;
@group(0) @binding(4) var<uniform> threshold: f32;

@compute @workgroup_size(256) fn sharpen(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x; if (i >= arrayLength(&original)) { return; }
    let difference = original[i] - blurred[i];
    sharpened[i] = original[i] + select(0.0, amount * difference, abs(difference) > threshold);
}
