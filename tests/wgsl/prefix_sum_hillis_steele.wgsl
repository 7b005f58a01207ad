@group(0) @binding(0) var<storage, read> values: array<i32>;
@group(0) @binding(1) var<storage, read_write> prefix: array<i32>;
@group(0) @binding(2) var<storage, read_write> block_totals: array<i32>;

const N = 1 << 8;
var<workgroup> ping: array<i32, N>;
var<workgroup> pong: array<i32, N>;

@compute @workgroup_size(N)
fn scan(@builtin(local_invocation_id) local: vec3u, @builtin(workgroup_id) block: vec3u, @builtin(global_invocation_id) global: vec3u) {
    let i = local.x;
    ping[i] = 0;
    if global.x < arrayLength(&values) { ping[i] = values[global.x]; }
    workgroupBarrier();
    for (var d = 1u; d < N; d <<= 1u) {
        pong[i] = ping[i];
        if i >= d { pong[i] += ping[i - d]; }
        workgroupBarrier();
        ping[i] = pong[i];
        workgroupBarrier();
    }
    if global.x < arrayLength(&prefix) { prefix[global.x] = ping[i]; }
    if i == N - 1 { block_totals[block.x] = ping[i]; }
}
