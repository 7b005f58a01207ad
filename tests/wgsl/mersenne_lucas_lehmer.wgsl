// Squares a long number of 32-bit limbs: one column of the product an invocation.
@group(0) @binding(0) var<storage, read> limbs: array<u32>;
@group(0) @binding(1) var<storage, read_write> columns: array<vec3<u32>>;

fn add_wide(acc: vec3<u32>, low: u32, high: u32) -> vec3<u32> {
    var r = acc;
    r.x += low;
    let carry = u32(r.x < low);
    let middle = high + carry;
    r.y += middle;
    r.z += u32(r.y < middle) + u32(middle < carry);
    return r;
}

@compute @workgroup_size(32)
fn square(@builtin(global_invocation_id) gid: vec3<u32>) {
    let n = arrayLength(&limbs);
    let k = gid.x;
    if (k >= 2u * n || k >= arrayLength(&columns)) { return; }
    var acc = vec3<u32>();
    let first = select(k - n + 1u, 0u, k < n);
    for (var i = first; i <= min(k, n - 1u); i++) {
        let a = limbs[i];
        let b = limbs[k - i];
        let al = a & 0xffffu; let ah = a >> 16u;
        let bl = b & 0xffffu; let bh = b >> 16u;
        let m1 = ah * bl;
        let m2 = al * bh;
        let low = al * bl;
        let middle = (low >> 16u) + (m1 & 0xffffu) + (m2 & 0xffffu);
        acc = add_wide(acc, (low & 0xffffu) | (middle << 16u), ah * bh + (m1 >> 16u) + (m2 >> 16u) + (middle >> 16u));
    }
    columns[k] = acc;
}
