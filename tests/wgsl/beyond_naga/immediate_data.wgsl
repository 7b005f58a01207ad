// naga 30 does not know the language extension.
requires immediate_address_space;
var<immediate> tint_color: vec4<f32>;
@group(0) @binding(0) var<storage, read_write> colors: array<vec4<f32>>;

fn tinted(color: vec4<f32>) -> vec4<f32> { return color * tint_color; }

@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x < arrayLength(&colors) { colors[id.x] = vec4<f32>(); }
}
