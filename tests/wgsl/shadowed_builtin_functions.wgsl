// Own versions of functions and types that WGSL has too.
alias float4 = vec4<f32>;
@group(0) @binding(0) var<storage, read_write> data: array<float4>;
@group(0) @binding(1) var<storage, read> min: array<f32>;
@group(0) @binding(2) var<storage, read> clamp: array<f32>;
@group(0) @binding(3) var<uniform> length: u32;

fn mix(a: float4, b: float4) -> float4 { return a * 0.5 + b * 0.5; }
fn step(v: float4) -> float4 {
    let clamp = max(v, float4(0.0));
    return clamp;
}

@compute @workgroup_size(64)
fn smoothstep(@builtin(global_invocation_id) gid: vec3<u32>) {
    if gid.x + 1u < length {
        data[gid.x] = mix(step(data[gid.x]), data[gid.x + 1u]) + min[gid.x];
    }
}
