struct Code { bits: u32, length: u32 }
@group(0) @binding(0) var<uniform> code_book: array<vec4<u32>, 128>; // two codes a vector
@group(0) @binding(1) var<storage, read> symbols: array<u32>;
@group(0) @binding(2) var<storage, read> bit_offset: array<u32>;
@group(0) @binding(3) var<storage, read_write> packed_bits: array<atomic<u32>>;

fn code(symbol: u32) -> Code {
    let pair = code_book[symbol >> 1u];
    return Code(select(pair.x, pair.z, (symbol & 1u) == 1u), select(pair.y, pair.w, (symbol & 1u) == 1u));
}

@compute @workgroup_size(128)
fn pack(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&symbols) { return; }
    let c = code(symbols[gid.x]);
    let at = bit_offset[gid.x];
    let word = at / 32u;
    let shift = at % 32u;
    atomicOr(&packed_bits[word], c.bits << shift);
    if shift + c.length > 32u {
        atomicOr(&packed_bits[word + 1u], c.bits >> (32u - shift));
    }
}
