struct Frame { width: u32, height: u32, range: i32 }
const BLOCK = 16;
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> reference: array<u32>;
@group(0) @binding(2) var<storage, read> current: array<u32>;
@group(0) @binding(3) var<storage, read_write> vectors: array<vec2<i32>>;

var<workgroup> sad: array<atomic<u32>, 1>;
var<workgroup> best: atomic<u32>;

fn luma(image: bool, p: vec2<i32>) -> u32 {
    let q = clamp(p, vec2<i32>(0), vec2<i32>(i32(frame.width), i32(frame.height)) - 1);
    let i = u32(q.y) * frame.width + u32(q.x);
    if image { return current[i]; }
    return reference[i];
}

@compute @workgroup_size(BLOCK, BLOCK)
fn estimate(@builtin(workgroup_id) block: vec3u, @builtin(local_invocation_id) l: vec3u, @builtin(num_workgroups) blocks: vec3u) {
    let p = vec2<i32>(vec2u(block.x, block.y) * u32(BLOCK) + l.xy);
    var winner = vec2<i32>();
    var least = 0xffffffffu;
    for (var dy = -frame.range; dy <= frame.range; dy++) {
        for (var dx = -frame.range; dx <= frame.range; dx++) {
            if all(l == vec3u()) { atomicStore(&sad[0], 0u); }
            workgroupBarrier();
            let a = luma(true, p);
            let b = luma(false, p + vec2(dx, dy));
            atomicAdd(&sad[0], max(a, b) - min(a, b));
            workgroupBarrier();
            let total = atomicLoad(&sad[0]);
            if total < least { least = total; winner = vec2(dx, dy); }
            workgroupBarrier();
        }
    }
    if all(l == vec3u()) { vectors[block.y * blocks.x + block.x] = winner; }
}
