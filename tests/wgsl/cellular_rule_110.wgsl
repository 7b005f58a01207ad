@group(0) @binding(0) var<storage, read> row: array<u32>;
@group(0) @binding(1) var<storage, read_write> next: array<u32>;
@id(110) override rule: u32 = 110;

@compute @workgroup_size(64)
fn evolve(@builtin(global_invocation_id) gid: vec3u) {
    let n = arrayLength(&row);
    if gid.x >= n { return; }
    let left = row[(gid.x + n - 1) % n];
    let here = row[gid.x];
    let right = row[(gid.x + 1) % n];
    var word = 0u;
    for (var bit = 0u; bit < 32u; bit++) {
        let l = select(here >> (bit - 1u), left >> 31u, bit == 0u) & 1u;
        let c = (here >> bit) & 1u;
        let r = select(here >> (bit + 1u), right, bit == 31u) & 1u;
        word |= ((rule >> ((l << 2u) | (c << 1u) | r)) & 1u) << bit;
    }
    next[gid.x] = word;
}
