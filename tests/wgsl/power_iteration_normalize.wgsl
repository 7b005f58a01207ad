@group(0) @binding(0) var<storage, read_write> vector: array<f32>;
@group(0) @binding(1) var<storage, read> norms: array<f32>;

@compute @workgroup_size(256, 1)
fn normalize_vector(@builtin(global_invocation_id) gid: vec3<u32>) {
    var norm2 = 0.0;
    for (var vector = 0u; vector < arrayLength(&norms); vector++) {
        norm2 += norms[vector];
    }
    if (gid.x < arrayLength(&vector)) {
        vector[gid.x] *= inverseSqrt(norm2);
    }
}
