struct Inner { a: f32, b: vec2f }
struct Light { @align(16) position: vec3f, intensity: f32, color: vec3f, @size(16) kind: u32 }
struct Everything {
    one: f32,
    two: vec2<f32>,
    three: vec3<f32>,
    after_three: f32,
    four: vec4<i32>,
    @align(16) inner: Inner,
    @align(16) lights: array<Light, 3>,
    matrix: mat3x3<f32>,
    weights: array<vec4<f32>, 2>,
    flags: vec3<u32>,
    last: i32,
}
@group(0) @binding(0) var<uniform> everything: Everything;
@group(0) @binding(1) var<storage, read_write> probe: array<f32>;

@compute @workgroup_size(16)
fn read_all(@builtin(local_invocation_index) i: u32) {
    var v = everything.one + everything.after_three + everything.inner.b.y;
    v += everything.lights[i % 3u].intensity + everything.matrix[2][1] + everything.weights[1].w;
    probe[i] = v + f32(everything.last);
}
