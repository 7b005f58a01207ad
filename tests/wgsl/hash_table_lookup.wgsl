struct Slot { key: u32, value: u32 }

@group(0) @binding(0) var<storage, read> table: array<Slot>;
@group(0) @binding(1) var<storage, read> wanted: array<u32>;
@group(0) @binding(2) var<storage, read_write> found: array<u32>;

const MISSING = 0xFFFFFFFFu;

fn hash(key: u32) -> u32 {
    // FNV-1a over the four bytes
    var h = 2166136261u;
    for (var i = 0u; i < 4u; i++) {
        h = (h ^ ((key >> (8u * i)) & 255u)) * 16777619u;
    }
    return h;
}

@compute @workgroup_size(64)
fn look_up(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&wanted) { return; }
    let key = wanted[gid.x];
    let capacity = arrayLength(&table);
    var value = MISSING;
    var at = hash(key) % capacity;
    loop {
        let slot = table[at];
        if slot.key == key { value = slot.value; }
        if slot.key == key || slot.key == 0u { break; }
        at = (at + 1u) % capacity;
    }
    found[gid.x] = value;
}
