// Sorts each run of eight values in registers, with Batcher's network.
@group(0) @binding(0) var<storage, read_write> runs: array<array<f32, 8>>;

fn order(v: ptr<function, array<f32, 8>>, i: i32, j: i32) {
    let low = min((*v)[i], (*v)[j]);
    let high = max((*v)[i], (*v)[j]);
    (*v)[i] = low;
    (*v)[j] = high;
}

@compute @workgroup_size(32)
fn sort_runs(@builtin(global_invocation_id) gid: vec3<u32>) {
    if gid.x >= arrayLength(&runs) { return; }
    var v = runs[gid.x];
    order(&v, 0, 1); order(&v, 2, 3); order(&v, 4, 5); order(&v, 6, 7);
    order(&v, 0, 2); order(&v, 1, 3); order(&v, 4, 6); order(&v, 5, 7);
    order(&v, 1, 2); order(&v, 5, 6);
    order(&v, 0, 4); order(&v, 1, 5); order(&v, 2, 6); order(&v, 3, 7);
    order(&v, 2, 4); order(&v, 3, 5);
    order(&v, 1, 2); order(&v, 3, 4); order(&v, 5, 6);
    runs[gid.x] = v;
}
