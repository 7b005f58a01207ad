struct Instance { transform: mat4x4<f32>, bounds: vec4<f32> }
struct DrawArguments { vertex_count: u32, instance_count: atomic<u32>, first_vertex: u32, first_instance: u32 }
struct Frustum { planes: array<vec4<f32>, 6>, count: u32 }

@group(0) @binding(0) var<uniform> frustum: Frustum;
@group(0) @binding(1) var<storage, read> instances: array<Instance>;
@group(0) @binding(2) var<storage, read_write> draw: DrawArguments;
@group(0) @binding(3) var<storage, read_write> visible: array<u32>;
@group(1) @binding(0) var depth_pyramid: texture_2d<f32>;
@group(1) @binding(1) var depth_sampler: sampler;

@compute @workgroup_size(64)
fn cull(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= frustum.count) { return; }
    let sphere = instances[gid.x].bounds;
    let center = (instances[gid.x].transform * vec4<f32>(sphere.xyz, 1.0)).xyz;
    for (var i = 0u; i < 6u; i++) {
        let plane = frustum.planes[i];
        if (dot(plane.xyz, center) + plane.w < -sphere.w) { return; }
    }
    visible[atomicAdd(&draw.instance_count, 1u)] = gid.x;
}

@fragment
fn occlusion_debug(@location(0) uv: vec2<f32>) -> @location(0) vec4<f32> {
    return textureSample(depth_pyramid, depth_sampler, uv);
}
