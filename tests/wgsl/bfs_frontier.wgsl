struct Counters { next_length: atomic<u32>, _pad: vec3<u32>, }

@group(0) @binding(0) var<storage, read> offsets: array<u32>;
@group(0) @binding(1) var<storage, read> edges: array<u32>;
@group(0) @binding(2) var<storage, read_write> depth: array<atomic<u32>>;
@group(1) @binding(0) var<storage, read> frontier: array<u32>;
@group(1) @binding(1) var<storage, read_write> next_frontier: array<u32>;
@group(1) @binding(2) var<storage, read_write> counters: Counters;
@group(2) @binding(0) var<uniform> level: vec2<u32>; // depth, length of the frontier

const UNSEEN = ~0u;

@compute @workgroup_size(64)
fn expand(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= level.y { return; }
    let node = frontier[gid.x];
    for (var e = offsets[node]; e < offsets[node + 1]; e++) {
        let to = edges[e];
        let seen = atomicCompareExchangeWeak(&depth[to], UNSEEN, level.x + 1);
        if seen.exchanged {
            next_frontier[atomicAdd(&counters.next_length, 1)] = to;
        }
    }
}
