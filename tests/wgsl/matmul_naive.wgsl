struct Shape { m: u32, n: u32, k: u32 }

@binding(0) @group(0) var<uniform> shape: Shape;
@binding(1) @group(0) var<storage> a: array<f32>;
@binding(2) @group(0) var<storage> b: array<f32>;
@binding(3) @group(0) var<storage, read_write> c: array<f32>;

@workgroup_size(8, 8) @compute
fn main(@builtin(global_invocation_id) gid: vec3<u32>)
{
    let row = gid.y;
    let col = gid.x;
    if (row >= shape.m || col >= shape.n) { return; }

    var acc: f32 = 0.;
    var i: u32;
    loop {
        if (i == shape.k) { break; }
        acc = fma(a[row * shape.k + i], b[i * shape.n + col], acc);
        continuing {
            i = i + 1u;
        }
    }
    c[row * shape.n + col] = acc;
}
