// CRC-32 of many equally long blocks, one block an invocation.
@group(0) @binding(0) var<storage, read> table: array<u32, 256>;
@group(0) @binding(1) var<storage, read> words: array<u32>;
@group(0) @binding(2) var<storage, read_write> checksums: array<u32>;
@group(0) @binding(3) var<uniform> words_per_block: u32;

fn feed(crc: u32, word: u32) -> u32 {
    var c = crc;
    for (var i = 0u; i < 4u; i++) {
        c = table[(c ^ (word >> (i * 8u))) & 0xffu] ^ (c >> 8u);
    }
    return c;
}

@compute @workgroup_size(64)
fn crc(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&checksums) { return; }
    var c = ~0u;
    for (var w = 0u; w < words_per_block; w++) {
        c = feed(c, words[id.x * words_per_block + w]);
    }
    checksums[id.x] = ~c;
}
