// How many pixels have each of the 256 brightness levels. Each workgroup counts in its own memory and adds its counts once.
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;

var<workgroup> counts: array<atomic<u32>, 256>;

fn luma(pixel: u32) -> u32 {
    return (77 * (pixel & 255) + 150 * ((pixel >> 8) & 255) + 29 * ((pixel >> 16) & 255) + 128) >> 8;
}

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) level: u32,
    @builtin(num_workgroups) workgroups: vec3u,
) {
    for (var i = id.x; i < arrayLength(&pixels); i += workgroups.x * 256) {
        atomicAdd(&counts[luma(pixels[i])], 1);
    }
    workgroupBarrier();
    atomicAdd(&bins[level], atomicLoad(&counts[level]));
}
