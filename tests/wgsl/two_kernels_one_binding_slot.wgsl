// Both variables sit at group 0, binding 0: each entry point uses only one.
@group(0) @binding(0) var<storage, read> floats: array<f32>;
@group(0) @binding(0) var<storage, read> integers: array<i32>;
@group(0) @binding(1) var<storage, read_write> result: array<f32>;

@compute @workgroup_size(64)
fn from_floats(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&result) { result[id.x] = floats[id.x]; }
}

@compute @workgroup_size(64)
fn from_integers(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&result) { result[id.x] = f32(integers[id.x]); }
}
