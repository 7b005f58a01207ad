struct Aabb { low: vec3f, high: vec3f }
struct Node { box: Aabb, left: i32, right: i32, parent: i32, visits: atomic<u32> }

@group(0) @binding(0) var<storage, read> leaves: array<Aabb>;
@group(0) @binding(1) var<storage, read_write> nodes: array<Node>;
@group(0) @binding(2) var<storage, read> leaf_parent: array<i32>;

fn box_of(child: i32) -> Aabb {
    // Negative children are leaves.
    if child < 0 { return leaves[-child - 1]; }
    return nodes[child].box;
}

@compute @workgroup_size(64)
fn fit(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&leaves) { return; }
    var at = leaf_parent[gid.x];
    while at >= 0 {
        let node = &nodes[at];
        if atomicAdd(&(*node).visits, 1u) == 0u { return; }
        let a = box_of((*node).left);
        let b = box_of((*node).right);
        (*node).box = Aabb(min(a.low, b.low), max(a.high, b.high));
        at = (*node).parent;
    }
}
