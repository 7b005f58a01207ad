// The texture path is for rendering; the buffer path is what compute uses.
@group(0) @binding(0) var source_texture: texture_2d<f32>;
@group(0) @binding(1) var target_texture: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(2) var<storage, read> level: array<vec4f>;
@group(0) @binding(3) var<storage, read_write> next_level: array<vec4f>;
@group(0) @binding(4) var<uniform> level_size: vec2u;

@compute @workgroup_size(8, 8)
fn from_buffer(@builtin(global_invocation_id) id: vec3u) {
    let half_size = level_size / 2u;
    if any(id.xy >= half_size) { return; }
    let at = id.y * 2u * level_size.x + id.x * 2u;
    next_level[id.y * half_size.x + id.x] =
        0.25 * (level[at] + level[at + 1u] + level[at + level_size.x] + level[at + level_size.x + 1u]);
}

fn copy(p: vec2u) { textureStore(target_texture, p, textureLoad(source_texture, p, 0)); }
