struct Query { text_length: u32, pattern_length: u32, pattern_hash: u32, base: u32 }
struct Matches { count: atomic<u32>, positions: array<u32> }

@group(0) @binding(0) var<uniform> query: Query;
@group(0) @binding(1) var<storage, read> text: array<u32>;
@group(0) @binding(2) var<storage, read> pattern: array<u32>;
@group(0) @binding(3) var<storage, read_write> matches: Matches;

fn char_at(i: u32) -> u32 { return (text[i / 4u] >> (8u * (i % 4u))) & 255u; }
fn pattern_at(i: u32) -> u32 { return (pattern[i / 4u] >> (8u * (i % 4u))) & 255u; }

@compute @workgroup_size(128)
fn search(@builtin(global_invocation_id) gid: vec3u) {
    let start = gid.x;
    if start + query.pattern_length > query.text_length { return; }
    var hash = 0u;
    for (var i = 0u; i < query.pattern_length; i++) {
        hash = hash * query.base + char_at(start + i);
    }
    if hash != query.pattern_hash { return; }
    for (var i = 0u; i < query.pattern_length; i++) {
        if char_at(start + i) != pattern_at(i) { return; }
    }
    let slot = atomicAdd(&matches.count, 1u);
    if slot < arrayLength(&matches.positions) { matches.positions[slot] = start; }
}
