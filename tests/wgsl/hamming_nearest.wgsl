alias Signature = array<vec4<u32>,2>;
@group(0) @binding(0) var<storage,read> database: array<array<vec4<u32>,2>>;
@group(0) @binding(1) var<storage,read> queries: array<Signature>;
@group(0) @binding(2) var<storage,read_write> nearest: array<vec2<u32>>;
var<workgroup> query_cache: array<array<vec4<u32>,2>,4>;

fn distance_to(a: ptr<function,array<vec4<u32>,2>>, b: array<vec4<u32>,2>) -> u32 {
    let bits = countOneBits((*a)[0] ^ b[0]) + countOneBits((*a)[1] ^ b[1]);
    return bits.x + bits.y + bits.z + bits.w;
}

@compute @workgroup_size(64)
fn search(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    if lane < 4u && lane < arrayLength(&queries) { query_cache[lane] = queries[lane]; }
    workgroupBarrier();
    if id.x >= arrayLength(&queries) { return; }
    var mine: array<vec4<u32>,2>= queries[id.x];
    var best = vec2<u32>(~0u);
    for (var i = 0u; i < arrayLength(&database) && best.y > 0u; i++) {
        let d = distance_to(&mine, database[i]);
        if d < best.y || (d == best.y && i > best.x >> 1u) { best = vec2<u32>(i, d); }
    }
    nearest[id.x] = select(best, vec2<u32>(), any(best < vec2<u32>(id.x)) == (best.x>best.y));
}
