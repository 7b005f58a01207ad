const HASHES = 4u;
struct Filter { bits: array<u32, 1024> }
@group(0) @binding(0) var<storage, read> filter_: Filter;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> maybe: array<u32>;

fn mix_bits(k: u32, seed: u32) -> u32 {
    var h = k ^ (seed * 0x9E3779B9u);
    h ^= h >> 15; h *= 0x2c1b3c6du;
    h ^= h >> 12; h *= 0x297a2d39u;
    return h ^ (h >> 15);
}

@compute @workgroup_size(64)
fn query(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&keys) { return; }
    var present = true;
    for (var i = 0u; i < HASHES && present; i++) {
        let bit = mix_bits(keys[gid.x], i) % (1024u * 32u);
        present = (filter_.bits[bit / 32u] & (1u << (bit % 32u))) != 0u;
    }
    maybe[gid.x] = u32(present);
}
