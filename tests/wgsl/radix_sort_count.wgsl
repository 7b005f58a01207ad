// Pass 1 of a 4-bit radix sort: how many keys of each digit in each block.
const DIGIT_BITS = 4u;
const DIGITS = 1u << DIGIT_BITS;
const BLOCK = DIGITS * DIGITS;

struct Pass { shift: u32, length: u32 }

@group(0) @binding(0) var<uniform> pass_info: Pass;
@group(0) @binding(1) var<storage, read> keys: array<u32>;
@group(0) @binding(2) var<storage, read_write> counts: array<u32>;

var<workgroup> count: array<atomic<u32>, DIGITS>;

@compute @workgroup_size(BLOCK)
fn count_digits(
    @builtin(global_invocation_id) gid: vec3u,
    @builtin(local_invocation_index) lane: u32,
    @builtin(workgroup_id) block: vec3u,
    @builtin(num_workgroups) blocks: vec3u
) {
    if lane < DIGITS { atomicStore(&count[lane], 0u); }
    workgroupBarrier();
    if gid.x < pass_info.length {
        let digit = extractBits(keys[gid.x], pass_info.shift, DIGIT_BITS);
        atomicAdd(&count[digit], 1u);
    }
    workgroupBarrier();
    if lane < DIGITS {
        counts[lane * blocks.x + block.x] = atomicLoad(&count[lane]);
    }
}
