// Open addressing, linear probing, 0 means empty.
struct Slot { key: atomic<u32>, value: atomic<u32> }
struct Table { occupied: atomic<u32>, slots: array<Slot> }

@group(0) @binding(0) var<storage, read> pairs: array<vec2u>;
@group(0) @binding(1) var<storage, read_write> table: Table;

fn hash(key: u32) -> u32 {
    var h = key;
    h ^= h >> 16u;
    h *= 0x85ebca6bu;
    h ^= h >> 13u;
    h *= 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

@compute @workgroup_size(64)
fn insert(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&pairs) { return; }
    let pair = pairs[gid.x];
    let capacity = arrayLength(&table.slots);
    var at = hash(pair.x) % capacity;
    for (var tries = 0u; tries < capacity; tries++) {
        let found = atomicCompareExchangeWeak(&table.slots[at].key, 0u, pair.x);
        if found.exchanged { atomicAdd(&table.occupied, 1u); }
        if found.exchanged || found.old_value == pair.x {
            atomicStore(&table.slots[at].value, pair.y);
            return;
        }
        at = (at + 1u) % capacity;
    }
}
