@group(0) @binding(0) var<storage, read_write> state: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> round_keys: array<vec4<u32>, 11>;
@id(0) override round: u32;

@compute @workgroup_size(256)
fn add_round_key(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&state)) { state[id.x] ^= round_keys[round]; }
}
