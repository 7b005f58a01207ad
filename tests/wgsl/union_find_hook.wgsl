@group(0) @binding(0) var<storage, read> edges: array<vec2<u32>>;
@group(0) @binding(1) var<storage, read_write> parent: array<atomic<u32>>;

fn find(node: u32) -> u32 {
    var n = node;
    var p = atomicLoad(&parent[n]);
    while (p != n) {
        n = p;
        p = atomicLoad(&parent[n]);
    }
    return n;
}

@compute @workgroup_size(64)
fn hook(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= arrayLength(&edges)) { return; }
    let edge = edges[gid.x];
    var a = find(edge.x);
    var b = find(edge.y);
    loop {
        if (a == b) { break; }
        let high = max(a, b);
        let low = min(a, b);
        let seen = atomicMin(&parent[high], low);
        if (seen == high) { break; }
        a = find(seen);
        b = find(low);
    }
}

@compute @workgroup_size(64)
fn compress(@builtin(global_invocation_id) gid: vec3<u32>) {
    if (gid.x >= arrayLength(&parent)) { return; }
    atomicStore(&parent[gid.x], find(gid.x));
}
