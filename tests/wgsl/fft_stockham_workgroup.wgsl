// A whole transform of 512 points in workgroup memory.
override N: i32 = 512;
override HALF = N / 2;

@group(2) @binding(7) var<storage, read_write> spectrum: array<vec2f>;

var<workgroup> re: array<f32, N * 2>;
var<workgroup> im: array<f32, N * 2>;

@compute @workgroup_size(HALF)
fn stockham(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) row: vec3u) {
    let n = u32(N);
    let base = row.x * n;
    for (var k = t; k < n; k += n / 2u) {
        re[k] = spectrum[base + k].x;
        im[k] = spectrum[base + k].y;
    }
    var source = 0u;
    var target_ = n;
    for (var s = 1u; s < n; s *= 2u) {
        workgroupBarrier();
        let p = t / s;
        let q = t % s;
        let w = -6.2831853 * f32(p) * f32(s) / f32(n);
        let a = vec2f(re[source + t], im[source + t]);
        let b = vec2f(re[source + t + n / 2u], im[source + t + n / 2u]);
        let d = a - b;
        let top = target_ + q + s * 2u * p;
        re[top] = a.x + b.x;
        im[top] = a.y + b.y;
        re[top + s] = d.x * cos(w) - d.y * sin(w);
        im[top + s] = d.x * sin(w) + d.y * cos(w);
        let swap = source; source = target_; target_ = swap;
    }
    workgroupBarrier();
    for (var k = t; k < n; k += n / 2u) {
        spectrum[base + k] = vec2f(re[source + k], im[source + k]);
    }
}
