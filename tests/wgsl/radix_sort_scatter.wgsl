const DIGIT_BITS = 4u;
const DIGITS = 1u << DIGIT_BITS;
const BLOCK = 256;

struct Pass { shift: u32, length: u32 }

@group(0) @binding(0) var<uniform> pass_info: Pass;
@group(0) @binding(1) var<storage, read> keys_in: array<u32>;
@group(0) @binding(2) var<storage, read> values_in: array<u32>;
@group(0) @binding(3) var<storage, read> starts: array<u32>;
@group(0) @binding(4) var<storage, read_write> keys_out: array<u32>;
@group(0) @binding(5) var<storage, read_write> values_out: array<u32>;

var<workgroup> digits: array<u32, BLOCK>;

@compute @workgroup_size(BLOCK)
fn scatter(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_index) lane: u32,
           @builtin(workgroup_id) block: vec3u, @builtin(num_workgroups) blocks: vec3u) {
    let inside = gid.x < pass_info.length;
    var key = 0xffffffffu;
    if inside { key = keys_in[gid.x]; }
    let digit = select(DIGITS, extractBits(key, pass_info.shift, DIGIT_BITS), inside);
    digits[lane] = digit;
    workgroupBarrier();
    if !inside { return; }
    var rank = 0u;
    for (var i = 0u; i < lane; i++) {
        rank += u32(digits[i] == digit);
    }
    let to = starts[digit * blocks.x + block.x] + rank;
    keys_out[to] = key;
    values_out[to] = values_in[gid.x];
}
