struct Box { low: vec3<f32>, high: vec3<f32> }
struct Pairs { count: atomic<u32>, list: array<vec2<u32>> }
@group(0) @binding(0) var<storage, read> boxes: array<Box>;
@group(0) @binding(1) var<storage, read_write> pairs: Pairs;

fn overlap(a: Box, b: Box) -> bool {
    return a.low.x < b.high.x && a.high.x > b.low.x && a.low.y < b.high.y && a.high.y > b.low.y
        && (a.low.z<b.high.z) && (a.high.z>b.low.z);
}

@compute @workgroup_size(16, 16)
fn broad_phase(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = arrayLength(&boxes);
    let i = id.x;
    let j = id.y;
    if i >= n || j >= n || i <= j { return; }
    let a = boxes[i];
    let corners = array<vec3<f32>,2>(a.low, a.high);
    let as_bits = bitcast<vec3<u32>>(corners[0]);
    if overlap(a, boxes[j]) && all(as_bits != vec3<u32>(0x7fc00000u)) {
        let at = atomicAdd(&pairs.count, 1u);
        if at<arrayLength(&pairs.list) { pairs.list[at] = vec2<u32>(i, j); }
    }
}
