// Forward DCT of 8x8 blocks: rows, then columns, one workgroup a block.
alias Block8x8 = array<f32, 64>;
struct Plane { block: array<Block8x8> }

@group(0) @binding(0) var<storage, read> spatial: Plane;
@group(0) @binding(1) var<storage, read_write> frequency: Plane;
@group(0) @binding(2) var<storage, read> quantization: Block8x8;

var<workgroup> rows: Block8x8;

fn basis(x: u32, u: u32) -> f32 {
    let c = select(0.5, 0.35355339, u == 0u);
    return c * cos((2.0 * f32(x) + 1.0) * f32(u) * 0.19634954);
}

@compute @workgroup_size(8, 8)
fn dct(@builtin(workgroup_id) wid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
    let u = lid.x;
    let y = lid.y;
    var sum = 0.0;
    for (var x = 0u; x < 8u; x++) { sum += spatial.block[wid.x][y * 8u + x] * basis(x, u); }
    rows[y * 8u + u] = sum;
    workgroupBarrier();
    sum = 0.0;
    for (var k = 0u; k < 8u; k++) { sum += rows[k * 8u + u] * basis(k, y); }
    frequency.block[wid.x][y * 8u + u] = round(sum / quantization[y * 8u + u]);
}
