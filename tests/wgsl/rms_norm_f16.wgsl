enable f16;

alias half4 = vec4<f16>;

@group(0) @binding(0) var<storage, read> hidden: array<half4>;
@group(0) @binding(1) var<storage, read> weight: array<half4>;
@group(0) @binding(2) var<storage, read_write> normed: array<half4>;
@group(0) @binding(3) var<uniform> quads: u32;

var<workgroup> squares: array<f32, 64>;

@compute @workgroup_size(64)
fn rms(@builtin(workgroup_id) token: vec3u, @builtin(local_invocation_index) lane: u32) {
    let base = token.x * quads;
    var sum = 0.0f;
    for (var i = lane; i < quads; i += 64u) {
        let v = vec4f(hidden[base + i]);
        sum += dot(v, v);
    }
    squares[lane] = sum;
    for (var s = 32u; s > 0u; s >>= 1u) {
        workgroupBarrier();
        if lane < s { squares[lane] += squares[lane + s]; }
    }
    workgroupBarrier();
    let scale = f16(inverseSqrt(squares[0] / f32(quads * 4u) + 1e-5f));
    for (var i = lane; i < quads; i += 64u) {
        normed[base + i] = hidden[base + i] * scale * weight[i];
    }
}
