struct Graph { nodes: u32, damping: f32 }
@group(0) @binding(0) var<uniform> graph: Graph;
@group(0) @binding(1) var<storage, read> in_start: array<u32>;
@group(0) @binding(2) var<storage, read> in_edges: array<u32>;
@group(0) @binding(3) var<storage, read> out_degree: array<u32>;
@group(0) @binding(4) var<storage, read> rank: array<f32>;
@group(0) @binding(5) var<storage, read_write> new_rank: array<f32>;

@compute @workgroup_size(64)
fn pull(@builtin(global_invocation_id) gid: vec3u) {
    let v = gid.x;
    if v >= graph.nodes { return; }
    var sum = 0.0;
    for (var e = in_start[v]; e < in_start[v + 1]; e++) {
        let u = in_edges[e];
        sum += rank[u] / f32(max(out_degree[u], 1));
    }
    new_rank[v] = (1.0 - graph.damping) / f32(graph.nodes) + graph.damping * sum;
}
