// Keeps elements above a threshold, in order: flags, scan (elsewhere), then this.
@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read> flags: array<u32>;
@group(0) @binding(2) var<storage, read> positions: array<u32>;
@group(0) @binding(3) var<storage, read_write> kept: array<f32>;
@group(0) @binding(4) var<storage, read_write> kept_count: array<u32, 1>;
@group(0) @binding(9) var<storage, read_write> flags_out: array<u32>;
@group(0) @binding(8) var<uniform> threshold: f32;

@compute @workgroup_size(256)
fn flag(@builtin(global_invocation_id) gid: vec3<u32>) {
    if gid.x < arrayLength(&values) {
        flags_out[gid.x] = u32(values[gid.x] > threshold);
    }
}

@compute @workgroup_size(256)
fn scatter(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let n = arrayLength(&values);
    if i >= n { return; }
    if flags[i] == 1u { kept[positions[i]] = values[i]; }
    if i == n - 1u { kept_count[0] = positions[i] + flags[i]; }
}
