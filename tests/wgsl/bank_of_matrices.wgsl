enable f16;
struct Mixed {
    m22: mat2x2<f32>,
    m23: mat2x3f,
    m24: mat2x4<f32>,
    m32: mat3x2f,
    m33: mat3x3<f32>,
    m34: mat3x4f,
    m42: mat4x2<f32>,
    m43: mat4x3f,
    m44: mat4x4<f32>,
    h22: mat2x2h,
    h33: mat3x3<f16>,
    h42: mat4x2h,
    h43: mat4x3<f16>,
    v2: vec2h,
    v3: vec3<f16>,
    one: f16,
    rows: array<mat3x2<f32>, 3>,
}
@group(0) @binding(0) var<storage, read> mixed: array<Mixed>;
@group(0) @binding(1) var<storage, read_write> traces: array<f32>;
@group(0) @binding(2) var<uniform> base: Mixed2;
struct Mixed2 { m: mat3x3h, @align(16) n: mat2x2f, k: array<mat4x3f, 2> }

@compute @workgroup_size(64)
fn trace(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&mixed) { return; }
    let m = &mixed[gid.x];
    traces[gid.x] = (*m).m22[0][0] + (*m).m33[1][1] + (*m).m44[3][3] + f32((*m).h33[2][2]) + base.n[1][1];
}
