// naga 30 takes no attributes before the braces of functions and statements, and ends `const_assert (a) == b;` too early.
@group(0) @binding(0) var<storage, read_write> levels: array<f32>;
const GROUP = 32u;
const_assert (GROUP % 2u) == 0u;

fn fade(level: f32) -> f32 @diagnostic(off, derivative_uniformity) {
    return level * 0.5;
}

@compute @workgroup_size(GROUP)
fn dim(@builtin(global_invocation_id) id: vec3<u32>) @diagnostic(off, derivative_uniformity) {
    if id.x < arrayLength(&levels) @diagnostic(off, derivative_uniformity) {
        levels[id.x] = fade(levels[id.x]);
    }
}
