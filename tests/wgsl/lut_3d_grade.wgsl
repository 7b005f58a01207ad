@group(0) @binding(0) var<storage, read> lut: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> frame: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> lut_size: u32;

fn entry(p: vec3<u32>) -> vec3<f32> {
    let q = min(p, vec3<u32>(lut_size - 1u));
    return lut[(q.b * lut_size + q.g) * lut_size + q.r].rgb;
}

// Tetrahedral interpolation.
@compute @workgroup_size(64)
fn grade(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&frame)) { return; }
    let c = saturate(frame[id.x].rgb) * f32(lut_size - 1u);
    let i = vec3<u32>(c);
    let f = fract(c);
    let c000 = entry(i);
    let c111 = entry(i + 1u);
    var result: vec3<f32>;
    if (f.r > f.g) {
        if (f.g > f.b) {
            result = (1.0 - f.r) * c000 + (f.r - f.g) * entry(i + vec3(1u, 0u, 0u)) + (f.g - f.b) * entry(i + vec3(1u, 1u, 0u)) + f.b * c111;
        } else if (f.r > f.b) {
            result = (1.0 - f.r) * c000 + (f.r - f.b) * entry(i + vec3(1u, 0u, 0u)) + (f.b - f.g) * entry(i + vec3(1u, 0u, 1u)) + f.g * c111;
        } else {
            result = (1.0 - f.b) * c000 + (f.b - f.r) * entry(i + vec3(0u, 0u, 1u)) + (f.r - f.g) * entry(i + vec3(1u, 0u, 1u)) + f.g * c111;
        }
    } else if (f.b > f.g) {
        result = (1.0 - f.b) * c000 + (f.b - f.g) * entry(i + vec3(0u, 0u, 1u)) + (f.g - f.r) * entry(i + vec3(0u, 1u, 1u)) + f.r * c111;
    } else {
        result = (1.0 - f.g) * c000 + (f.g - max(f.r, f.b)) * entry(i + vec3(0u, 1u, 0u)) + (max(f.r, f.b) - min(f.r, f.b)) * entry(i + vec3(u32(f.r > f.b), 1u, u32(f.r <= f.b))) + min(f.r, f.b) * c111;
    }
    frame[id.x] = vec4<f32>(result, frame[id.x].a);
}
