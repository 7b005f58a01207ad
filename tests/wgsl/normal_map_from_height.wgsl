@group(0) @binding(0) var<storage> height: array<f32>;
@group(0) @binding(1) var<storage, read_write> normals: array<vec3<f32>>;
@group(0) @binding(2) var<uniform> info: vec4<f32>; // width, height, strength, _

@compute @workgroup_size(16, 16)
fn normals_from_height(@builtin(global_invocation_id) id: vec3<u32>) {
    let width = u32(info.x);
    let height_ = u32(info.y);
    if (id.x >= width || id.y >= height_) { return; }
    let l = height[id.y * width + max(id.x, 1u) - 1u];
    let r = height[id.y * width + min(id.x + 1u, width - 1u)];
    let t = height[(max(id.y, 1u) - 1u) * width + id.x];
    let b = height[min(id.y + 1u, height_ - 1u) * width + id.x];
    normals[id.y * width + id.x] = normalize(vec3<f32>((l - r) * info.z, (t - b) * info.z, 2.0));
}
