@group(0) @binding(0) var<storage, read> from_: array<vec2<f32>>;
@group(0) @binding(1) var<storage, read_write> to_: array<vec2<f32>>;
@group(0) @binding(2) var<uniform> log2_n: u32;

@compute @workgroup_size(0x40)
fn permute(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= 1u << log2_n { return; }
    to_[reverseBits(id.x) >> (32u - log2_n)] = from_[id.x];
}
