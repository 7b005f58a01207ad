// A teaching sample about scopes: the same names mean bindings and locals in turn.
@group(0) @binding(0) var<storage, read> a: array<u32>;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read> c: array<u32>;
@group(0) @binding(3) var<storage, read> d: array<u32>;
@group(0) @binding(4) var<storage, read_write> e: array<u32>;
@group(0) @binding(5) var<storage, read_write> f: array<u32>;

fn with_parameter(a: u32, b: u32) -> u32 { return a + b; }

@compute @workgroup_size(1)
fn only_locals() {
    var a = 1u;
    for (var b = 0u; b < 3u; b++) {
        let c = with_parameter(a, b);
        if c > 2u { let d = c; a += d; } else if c == 1u { const d = 3u; a *= d; } else { a--; }
    }
    loop {
        let d = a;
        if d > 10u { break; }
        continuing {
            a = d + 1u;
            break if d == 7u;
        }
    }
    switch a {
        case 1u: { let b = 2u; a = b; }
        default: { var c = 3u; a = c; }
    }
    e[0] = a;
}

@compute @workgroup_size(1)
fn before_and_behind() {
    e[0] = a[0];
    {
        let a = b[0];
        e[1] = a;
        let b = c[0];
        e[2] = b;
    }
    for (var c = d[0]; c < 4u; c++) { e[3] += c; }
    while e[4] < 4u {
        let e = 4u;
        if e == 4u { break; }
    }
    f[0] = 1u;
}

@compute @workgroup_size(1)
fn own_initializer() {
    var c = c[1] + c[2];
    c += 1u;
    let f = &f;
    (*f)[0] = c;
}

@compute @workgroup_size(1)
fn behind_numbers() {
    let a = .5;
    e[0] = u32(a * 2.);
    { let b = 1.; e[1] = u32(b); }
    for (var d = .0; d < 1.; d += .5) { e[2] += u32(d); }
    f[0] = u32(.5) + c[0];
}
