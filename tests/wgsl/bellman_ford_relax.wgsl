struct Edge {
    from_: u32,
    to_: u32,
    weight: i32,
};

@group(0) @binding(0) var<storage, read> edges: array<Edge>;
@group(0) @binding(1) var<storage, read_write> distance_to: array<atomic<i32>>;
@group(0) @binding(2) var<storage, read_write> relaxed: atomic<u32>;

const INFINITY = 0x7fffffffi;

@compute @workgroup_size(128)
fn relax(@builtin(global_invocation_id) g: vec3<u32>) {
    if (g.x >= arrayLength(&edges)) { return; }
    let edge = edges[g.x];
    let here = atomicLoad(&distance_to[edge.from_]);
    if (here == INFINITY) { return; }
    let there = here + edge.weight;
    if (atomicMin(&distance_to[edge.to_], there) > there) {
        atomicStore(&relaxed, 1u);
    }
}
