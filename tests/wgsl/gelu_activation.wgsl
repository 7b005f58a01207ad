@group(0) @binding(0) var<storage, read_write> activations: array<vec4<f32>>;

// tanh overflows for large arguments on some drivers, so it is clamped.
fn gelu(x: vec4<f32>) -> vec4<f32> {
    let inner = 0.7978845608 * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1.0 + tanh(clamp(inner, vec4<f32>(-15.0), vec4<f32>(15.0))));
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x < arrayLength(&activations)) {
        activations[id.x] = gelu(activations[id.x]);
    }
}
