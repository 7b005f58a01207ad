// Three input bytes become four characters; a group of three words becomes four words.
@group(0) @binding(0) var<storage, read> bytes: array<u32>;
@group(0) @binding(1) var<storage, read_write> text: array<u32>;

fn byte_at(i: u32) -> u32 {
    return (bytes[i / 4u] >> ((i % 4u) * 8u)) & 0xFFu;
}

fn letter(sextet: u32) -> u32 {
    if sextet < 26u { return sextet + 65u; }
    if sextet < 52u { return sextet - 26u + 97u; }
    if sextet < 62u { return sextet - 52u + 48u; }
    return select(47u, 43u, sextet == 62u);
}

@compute @workgroup_size(64)
fn encode(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i >= arrayLength(&text) { return; }
    let at = i * 3u;
    if (at + 2u) / 4u >= arrayLength(&bytes) { return; }
    let three = (byte_at(at) << 16u) | (byte_at(at + 1u) << 8u) | byte_at(at + 2u);
    text[i] = letter(three >> 18u)
        | (letter((three >> 12u) & 63u) << 8u)
        | (letter((three >> 6u) & 63u) << 16u)
        | (letter(three & 63u) << 24u);
}
