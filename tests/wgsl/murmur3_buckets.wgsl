const C1 = 0xcc9e2d51u; const C2 = 0x1b873593u;
override BUCKETS_LOG2 = 10u;
@group(0) @binding(0) var<storage> keys: array<vec4u>;
@group(0) @binding(1) var<storage, read_write> buckets: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<atomic<u32>>;

fn rotl32(x: u32, r: u32) -> u32 { return (x << r) | (x >> (32 - r)); }

fn murmur(k: vec4u) -> u32 {
    var h = 0x9747b28cu;
    for (var i = 0; i < 4; i++) {
        h ^= rotl32(k[i] * C1, 15) * C2;
        h = rotl32(h, 13) * 5 + 0xe6546b64u;
    }
    h ^= 16u;
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

@compute @workgroup_size(64)
fn bucket_of_each(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&keys) { return; }
    let bucket = murmur(keys[gid.x]) >> (32 - BUCKETS_LOG2);
    buckets[gid.x] = bucket;
    atomicAdd(&counts[bucket], 1);
}
