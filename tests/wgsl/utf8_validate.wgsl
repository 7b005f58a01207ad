@group(0) @binding(0) var<storage, read> bytes: array<u32>;
@group(0) @binding(1) var<storage, read_write> first_error: atomic<u32>;
@group(0) @binding(2) var<uniform> length: u32;

fn byte(i: u32) -> u32 {
    if i >= length { return 0u; }
    return extractBits(bytes[i >> 2u], (i & 3u) << 3u, 8u);
}

@compute @workgroup_size(64)
fn validate(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= length { return; }
    let lead = byte(i);
    var follow = 0u;
    switch countLeadingZeros(~(lead << 24u)) {
        case 0u: { follow = 0u; }
        case 1u: {
            // A continuation byte: the byte before must be a lead or a continuation.
            let before = byte(max(i, 1u) - 1u);
            if i == 0u || before < 0x80u { atomicMin(&first_error, i); }
        }
        case 2u: { follow = 1u; }
        case 3u: { follow = 2u; }
        case 4u: { follow = 3u; }
        default: { atomicMin(&first_error, i); }
    }
    for (var k = 1u; k <= follow; k++) {
        if (byte(i + k) & 0xC0u) != 0x80u { atomicMin(&first_error, i); }
    }
}
