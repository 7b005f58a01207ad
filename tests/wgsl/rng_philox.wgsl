// Philox 4x32-10: counter based, so any element can be computed alone.
struct Key { low: u32, high: u32 }
@group(0) @binding(0) var<uniform> key: Key;
@group(0) @binding(1) var<storage, read_write> uniforms: array<vec4<f32>>;

const M0 = 0xD2511F53u;
const M1 = 0xCD9E8D57u;
const W0 = 0x9E3779B9u;
const W1 = 0xBB67AE85u;
const ROUNDS = 10;

struct Wide { hi: u32, lo: u32 }

fn mul_wide(a: u32, b: u32) -> Wide {
    let al = a & 0xffffu; let ah = a >> 16u;
    let bl = b & 0xffffu; let bh = b >> 16u;
    let mid = ah * bl + ((al * bl) >> 16u);
    let mid2 = al * bh + (mid & 0xffffu);
    return Wide(ah * bh + (mid >> 16u) + (mid2 >> 16u), a * b);
}

@compute @workgroup_size(64)
fn philox(@builtin(global_invocation_id) gid: vec3<u32>) {
    if gid.x >= arrayLength(&uniforms) { return; }
    var c = vec4<u32>(gid.x, 0u, 0u, 0u);
    var k = vec2<u32>(key.low, key.high);
    for (var r = 0; r < ROUNDS; r++) {
        let a = mul_wide(M0, c.x);
        let b = mul_wide(M1, c.z);
        c = vec4<u32>(b.hi ^ c.y ^ k.x, b.lo, a.hi ^ c.w ^ k.y, a.lo);
        k += vec2<u32>(W0, W1);
    }
    uniforms[gid.x] = vec4<f32>(c >> vec4<u32>(8u)) * (1.0 / 16777216.0);
}
