// Fixed-point sums, because there are no float atomics.
struct Sum { x: atomic<i32>, y: atomic<i32>, count: atomic<u32>, }

@group(0) @binding(0) var<storage, read> points: array<vec2f>;
@group(0) @binding(1) var<storage, read> labels: array<u32>;
@group(0) @binding(2) var<storage, read_write> sums: array<Sum>;
@group(0) @binding(3) var<storage, read_write> centroids: array<vec2f>;

const SCALE = 65536.0;

@compute @workgroup_size(256)
fn accumulate(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= arrayLength(&points) { return; }
    let fixed = vec2i(points[i] * SCALE);
    let label = labels[i];
    atomicAdd(&sums[label].x, fixed.x);
    atomicAdd(&sums[label].y, fixed.y);
    atomicAdd(&sums[label].count, 1u);
}

@compute @workgroup_size(32)
fn divide(@builtin(global_invocation_id) gid: vec3u) {
    let k = gid.x;
    if k >= arrayLength(&centroids) { return; }
    let sum = vec2f(vec2i(atomicExchange(&sums[k].x, 0), atomicExchange(&sums[k].y, 0))) / SCALE;
    let n = atomicExchange(&sums[k].count, 0u);
    if n > 0u { centroids[k] = sum / f32(n); }
}
