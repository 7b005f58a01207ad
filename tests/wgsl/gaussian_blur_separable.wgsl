// One pass of a separable Gaussian blur; run it twice with the axes swapped.
struct BlurParams {
    width : u32,
    height : u32,
    radius : i32,
    horizontal : u32,
    sigma : f32,
};

@group(0) @binding(0) var<uniform> params : BlurParams;
@group(0) @binding(1) var<storage, read> source : array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> target_pixels : array<vec4<f32>>;

fn weight(offset : i32) -> f32 {
    let x = f32(offset) / params.sigma;
    return exp(-0.5 * x * x);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id : vec3<u32>) {
    if (id.x >= params.width || id.y >= params.height) {
        return;
    }
    var sum = vec4<f32>(0.0);
    var total = 0.0;
    for (var k = -params.radius; k <= params.radius; k = k + 1) {
        var at = vec2<i32>(id.xy);
        if (params.horizontal != 0u) {
            at.x = clamp(at.x + k, 0, i32(params.width) - 1);
        } else {
            at.y = clamp(at.y + k, 0, i32(params.height) - 1);
        }
        let w = weight(k);
        sum += w * source[u32(at.y) * params.width + u32(at.x)];
        total += w;
    }
    target_pixels[id.y * params.width + id.x] = sum / total;
}
