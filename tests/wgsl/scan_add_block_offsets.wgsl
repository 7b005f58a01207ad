@group(0) @binding(0) var<storage, read_write> prefix: array<u32>;
@group(0) @binding(1) var<storage, read> offsets: array<u32>;

@compute @workgroup_size(256)
fn add_offsets(@builtin(global_invocation_id) gid: vec3u, @builtin(workgroup_id) wid: vec3u) {
    if gid.x < arrayLength(&prefix) && wid.x > 0 {
        prefix[gid.x] += offsets[wid.x - 1];
    }
}
