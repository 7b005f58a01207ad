// A library of bindings shared by several kernels; this one uses two of them.
@group(0) @binding(0) var<uniform> camera: mat4x4<f32>;
@group(0) @binding(1) var<storage, read> triangles: array<array<vec3<f32>, 3>>;
@group(0) @binding(2) var environment: texture_cube<f32>;
@group(0) @binding(3) var linear_sampler: sampler;
@group(0) @binding(4) var shadow_sampler: sampler_comparison;
@group(0) @binding(5) var depth: texture_depth_2d;
@group(0) @binding(6) var multisampled: texture_multisampled_2d<f32>;
@group(0) @binding(7) var layers: texture_2d_array<i32>;
@group(0) @binding(8) var target_image: texture_storage_2d<rgba16float, write>;
@group(1) @binding(0) var<storage, read_write> ids: array<u32>;
@group(1) @binding(3) var<storage, read_write> scratch: array<atomic<i32>>;
@group(3) @binding(1) var<uniform> offset: u32;

var<private> calls: u32 = 0u;
var<private> unused_private: array<vec4<f32>, 16>;

fn shade(uv: vec2<f32>) -> vec4<f32> {
    textureStore(target_image, vec2<u32>(uv), camera[0]);
    return camera * vec4<f32>(triangles[0][0], textureLoad(depth, vec2<i32>(uv), 0));
}

fn next() -> u32 { calls += 1u; return calls; }

@compute @workgroup_size(32)
fn number(@builtin(global_invocation_id) gid: vec3<u32>) {
    if gid.x < arrayLength(&ids) { ids[gid.x] = gid.x + offset + next(); }
}
