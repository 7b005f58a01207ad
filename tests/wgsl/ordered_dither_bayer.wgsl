const BAYER = array<array<u32, 4>, 4>(
    array<u32, 4>( 0,  8,  2, 10),
    array<u32, 4>(12,  4, 14,  6),
    array<u32, 4>( 3, 11,  1,  9),
    array<u32, 4>(15,  7, 13,  5),
);
@group(0) @binding(0) var<storage, read> gray: array<f32>;
@group(0) @binding(1) var<storage, read_write> bits: array<atomic<u32>>;
@group(0) @binding(2) var<uniform> width: u32;

@compute @workgroup_size(32, 4)
fn dither(@builtin(global_invocation_id) id: vec3u) {
    let at = id.y * width + id.x;
    if id.x >= width || at >= arrayLength(&gray) { return; }
    let threshold = (f32(BAYER[id.y & 3][id.x & 3]) + 0.5) / 16;
    if gray[at] > threshold {
        atomicOr(&bits[at / 32], 1u << (at % 32));
    }
}
