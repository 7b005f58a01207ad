// BT.601, full range. A matrix constant and pixel triples as a struct of three scalars.
struct Rgb { r: f32, g: f32, b: f32, }
struct YCbCr { y: f32, cb: f32, cr: f32, }

@group(0) @binding(0) var<storage, read> rgb: array<Rgb>;
@group(0) @binding(1) var<storage, read_write> ycc: array<YCbCr>;

const M = mat3x3<f32>(
     0.299,  -0.168736,  0.5,
     0.587,  -0.331264, -0.418688,
     0.114,   0.5,      -0.081312,
);

@compute @workgroup_size(64,)
fn convert(@builtin(global_invocation_id,) id: vec3<u32>,) {
    if (id.x >= arrayLength(&rgb)) { return; }
    let p = rgb[id.x];
    let v = M * vec3<f32>(p.r, p.g, p.b);
    ycc[id.x] = YCbCr(v.x, v.y + 0.5, v.z + 0.5,);
}
