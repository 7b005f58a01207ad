struct Nonce { key: array<vec4<u32>, 2>, counter: u32, @align(16) nonce: vec3<u32> }
@group(0) @binding(0) var<uniform> nonce: Nonce;
@group(0) @binding(1) var<storage, read_write> keystream: array<array<vec4<u32>,4>>;

fn rotl(v: vec4<u32>, n: u32) -> vec4<u32> { return (v << vec4(n)) | (v >> vec4(32u - n)); }

@compute @workgroup_size(64)
fn chacha(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&keystream) { return; }
    let start = array<vec4<u32>,4>(
        vec4(0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u),
        nonce.key[0], nonce.key[1], vec4(nonce.counter + id.x, nonce.nonce));
    var a = start[0]; var b = start[1]; var c = start[2]; var d = start[3];
    for (var round = 0; round < 10; round++) {
        for (var half = 0; half < 2; half++) {
            a += b; d = rotl(d ^ a, 16u);
            c += d; b = rotl(b ^ c, 12u);
            a += b; d = rotl(d ^ a, 8u);
            c += d; b = rotl(b ^ c, 7u);
            if half == 0 { b = b.yzwx; c = c.zwxy; d = d.wxyz; }
            else { b = b.wxyz; c = c.zwxy; d = d.yzwx; }
        }
    }
    keystream[id.x] = array<vec4<u32>,4>(a + start[0], b + start[1], c + start[2], d + start[3]);
}
