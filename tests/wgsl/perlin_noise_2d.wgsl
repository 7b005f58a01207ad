@group(0) @binding(0) var<storage, read> permutation: array<u32>;
@group(0) @binding(1) var<storage, read_write> noise: array<f32>;
struct Field { size: vec2<u32>, frequency: f32, octaves: u32, gain: f32, lacunarity: f32 };
@group(0) @binding(2) var<uniform> field: Field;

fn fade(t: vec2<f32>) -> vec2<f32> { return t * t * t * (t * (t * 6.0 - 15.0) + 10.0); }

fn gradient(cell: vec2<i32>, offset: vec2<f32>) -> f32 {
    let h = permutation[(permutation[u32(cell.x) & 255u] + u32(cell.y)) & 255u] & 7u;
    let u = select(offset.y, offset.x, h < 4u);
    let v = select(offset.x, offset.y, h < 4u);
    return select(u, -u, (h & 1u) != 0u) + select(2.0 * v, -2.0 * v, (h & 2u) != 0u);
}

fn perlin(p: vec2<f32>) -> f32 {
    let cell = vec2<i32>(floor(p));
    let f = fract(p);
    let w = fade(f);
    return mix(
        mix(gradient(cell, f), gradient(cell + vec2(1, 0), f - vec2(1.0, 0.0)), w.x),
        mix(gradient(cell + vec2(0, 1), f - vec2(0.0, 1.0)), gradient(cell + vec2(1, 1), f - vec2(1.0, 1.0)), w.x),
        w.y);
}

@compute @workgroup_size(16, 16)
fn fbm(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= field.size)) { return; }
    var p = vec2<f32>(id.xy) * field.frequency;
    var amplitude = 1.0;
    var sum = 0.0;
    for (var o = 0u; o < field.octaves; o++) {
        sum += amplitude * perlin(p);
        p *= field.lacunarity;
        amplitude *= field.gain;
    }
    noise[id.y * field.size.x + id.x] = sum;
}
