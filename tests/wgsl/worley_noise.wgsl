const FEATURE_POINTS = 1;

@group(0) @binding(0) var<uniform> u: vec4<f32>; // width, height, scale, seed
@group(0) @binding(1) var<storage, read_write> out_image: array<f32>;

fn hash2(p: vec2<f32>) -> vec2<f32> {
    let q = vec2<f32>(dot(p, vec2<f32>(127.1, 311.7)), dot(p, vec2<f32>(269.5, 183.3)));
    return fract(sin(q + u.w) * 43758.5453);
}

@compute @workgroup_size(8, 8)
fn worley(@builtin(global_invocation_id) id: vec3<u32>) {
    let size = vec2<u32>(u.xy);
    if (id.x >= size.x || id.y >= size.y) { return; }
    let p = vec2<f32>(id.xy) / u.z;
    let cell = floor(p);
    var least = 8.0;
    for (var u = -1; u <= 1; u++) {
        for (var v = -1; v <= 1; v++) {
            let neighbour = cell + vec2<f32>(vec2<i32>(u, v));
            least = min(least, distance(p, neighbour + hash2(neighbour)));
        }
    }
    out_image[id.y * size.x + id.x] = least;
}
