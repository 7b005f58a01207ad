@group(0) @binding(0) var<storage, read_write,> image: array<u32,>;

fn linear(c: vec3<f32,>,) -> vec3<f32> {
    let low = c / 12.92;
    let high = pow((c + 0.055) / 1.055, vec3<f32>(2.4));
    return select(high, low, c <= vec3<f32>(0.04045));
}

@compute @workgroup_size(16, 16,)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.y * groups.x * 16u + id.x;
    if (i >= arrayLength(&image)) { return; }
    let c = unpack4x8unorm(image[i]);
    image[i] = pack4x8unorm(vec4<f32>(linear(c.rgb), c.a));
}
