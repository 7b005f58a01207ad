// One direction of a separable Gaussian over RGBA pixels packed into u32, for the rows from `first_row` on as far as the
// grid reaches; the picture's border pixels repeat outwards.
// `weights` is one half, centre first, in fixed point; the whole sums to 65,536, so every device gives the same bytes.
struct Line { size: vec2i, step: vec2i, first_row: i32 }

@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<storage, read> weights: array<u32>;
@group(0) @binding(2) var<uniform> line: Line;
@group(0) @binding(3) var<storage, read_write> blurred: array<u32>;

fn channels(pixel: u32) -> vec4u {
    return (vec4u(pixel) >> vec4u(0, 8, 16, 24)) & vec4u(255);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let at = vec2i(i32(id.x), i32(id.y) + line.first_row);
    if (any(at >= line.size)) { return; }
    let radius = i32(arrayLength(&weights)) - 1;
    var sum = vec4u(32768);  // one half, so that the shift below rounds
    for (var tap = -radius; tap <= radius; tap++) {
        let source = clamp(at + tap * line.step, vec2i(0), line.size - 1);
        sum += weights[abs(tap)] * channels(pixels[source.y * line.size.x + source.x]);
    }
    let mean = sum >> vec4u(16);
    blurred[at.y * line.size.x + at.x] = mean.x | (mean.y << 8) | (mean.z << 16) | (mean.w << 24);
}
