alias C = vec2<f32>;
alias Field = array<C>;
@group(0) @binding(0) var<storage, read> f: Field;
@group(0) @binding(1) var<storage, read> g: Field;
@group(0) @binding(2) var<storage, read_write> r: Field;

fn multiply_conjugate(a: C, b: C) -> C {
    return C(a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y);
}

@compute @workgroup_size(64)
fn correlate(@builtin(global_invocation_id) i: vec3<u32>) {
    if i.x >= arrayLength(&r) { return; }
    let product = multiply_conjugate(f[i.x], g[i.x]);
    let r = product / max(length(product), 1e-9);
    store(i.x, r);
}

fn store(at: u32, value: C) { r[at] = value; }
