struct Pixel { rgba: u32 }
@group(0) @binding(0) var<storage, read> over: array<Pixel>;
@group(0) @binding(1) var<storage, read_write> under: array<Pixel>;
@group(0) @binding(2) var<uniform> opacity: f32;
@compute @workgroup_size(64) fn composite(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i < arrayLength(&under) {
        let a = unpack4x8unorm(over[i].rgba);
        let b = unpack4x8unorm(under[i].rgba);
        let alpha = a.a * opacity;
        let out_alpha = alpha + b.a * (1.0 - alpha);
        let color = (a.rgb * alpha + b.rgb * b.a * (1.0 - alpha)) / max(out_alpha, 1e-5);
        under[i].rgba = pack4x8unorm(vec4<f32>(color, out_alpha));
    }
}
