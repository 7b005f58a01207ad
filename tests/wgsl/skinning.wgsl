struct Joint { matrix: mat4x4f }
struct Weighted { joints: vec4<u32>, weights: vec4<f32> }
struct VertexData { position: vec3f, normal: vec3f, uv: vec2f }

@group(0) @binding(0) var<uniform> joints: array<Joint, 64>;
@group(0) @binding(1) var<storage, read> rest_pose: array<VertexData>;
@group(0) @binding(2) var<storage, read> weights: array<Weighted>;
@group(0) @binding(3) var<storage, read_write> posed: array<VertexData>;

@compute @workgroup_size(64)
fn skin(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= arrayLength(&rest_pose) { return; }
    let w = weights[i];
    var blended = mat4x4f();
    for (var k = 0; k < 4; k++) { blended += w.weights[k] * joints[w.joints[k]].matrix; }
    let v = rest_pose[i];
    let upper = mat3x3f(blended[0].xyz, blended[1].xyz, blended[2].xyz);
    posed[i] = VertexData((blended * vec4f(v.position, 1.0)).xyz, normalize(upper * v.normal), v.uv);
}
