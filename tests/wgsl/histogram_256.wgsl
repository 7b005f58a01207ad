/* Histogram of 8-bit values: each workgroup counts in its own memory first,
   then adds what it has to the result. */
const BINS = 256u;

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, BINS>;

var<workgroup> local_bins: array<atomic<u32>, BINS>;

@compute @workgroup_size(BINS)
fn histogram(
    @builtin(global_invocation_id) gid: vec3u,
    @builtin(local_invocation_index) lane: u32,
    @builtin(num_workgroups) groups: vec3u,
) {
    atomicStore(&local_bins[lane], 0u);
    workgroupBarrier();
    let stride = groups.x * BINS;
    for (var i = gid.x; i < arrayLength(&pixels); i += stride) {
        let four = pixels[i];
        for (var shift = 0u; shift < 32u; shift += 8u) {
            atomicAdd(&local_bins[(four >> shift) & 0xffu], 1u);
        }
    }
    workgroupBarrier();
    atomicAdd(&bins[lane], atomicLoad(&local_bins[lane]));
}
