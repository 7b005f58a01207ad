struct ConvShape {
    batch: u32, in_channels: u32, out_channels: u32,
    height: u32, width: u32,
    kernel: u32, stride: u32, padding: u32,
    out_height: u32, out_width: u32,
}

@group(0) @binding(0) var<uniform> shape: ConvShape;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read> weight: array<f32>;
@group(0) @binding(3) var<storage, read> bias: array<f32>;
@group(0) @binding(4) var<storage, read_write> y: array<f32>;

fn x_at(n: u32, c: u32, row: i32, col: i32) -> f32 {
    if (row < 0 || col < 0 || row >= i32(shape.height) || col >= i32(shape.width)) { return 0.0; }
    return x[((n * shape.in_channels + c) * shape.height + u32(row)) * shape.width + u32(col)];
}

@compute @workgroup_size(8, 8, 1)
fn conv(@builtin(global_invocation_id) gid: vec3<u32>) {
    let col = gid.x;
    let row = gid.y;
    let n = gid.z / shape.out_channels;
    let oc = gid.z % shape.out_channels;
    if (col >= shape.out_width || row >= shape.out_height || n >= shape.batch) { return; }
    var acc = bias[oc];
    for (var ic = 0u; ic < shape.in_channels; ic++) {
        for (var ky = 0u; ky < shape.kernel; ky++) {
            for (var kx = 0u; kx < shape.kernel; kx++) {
                let r = i32(row * shape.stride + ky) - i32(shape.padding);
                let c = i32(col * shape.stride + kx) - i32(shape.padding);
                acc += x_at(n, ic, r, c) * weight[((oc * shape.in_channels + ic) * shape.kernel + ky) * shape.kernel + kx];
            }
        }
    }
    y[((n * shape.out_channels + oc) * shape.out_height + row) * shape.out_width + col] = max(acc, 0.0);
}
