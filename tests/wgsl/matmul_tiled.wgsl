// C = A * B in tiles that fit into workgroup memory.
const TILE: u32 = 16;
const TILE_AREA = TILE * TILE;

struct Dims {
    @size(16) rows: u32,
    @size(16) inner: u32,
    @size(16) cols: u32,
}

@group(0) @binding(0) var<storage, read> left: array<f32>;
@group(0) @binding(1) var<storage, read> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> product: array<f32>;
@group(1) @binding(0) var<uniform> dims: Dims;

var<workgroup> left_tile: array<f32, TILE_AREA>;
var<workgroup> right_tile: array<f32, TILE_AREA>;

fn load(which: bool, row: u32, col: u32) -> f32 {
    if which {
        return select(0.0, left[min(row, dims.rows - 1) * dims.inner + min(col, dims.inner - 1)], row < dims.rows && col < dims.inner);
    }
    return select(0.0, right[min(row, dims.inner - 1) * dims.cols + min(col, dims.cols - 1)], row < dims.inner && col < dims.cols);
}

@compute @workgroup_size(TILE, TILE, 1)
fn matmul(@builtin(global_invocation_id) gid: vec3u, @builtin(local_invocation_id) lid: vec3u) {
    var sum = 0.0;
    let tiles = (dims.inner + TILE - 1) / TILE;
    for (var t = 0u; t < tiles; t++) {
        left_tile[lid.y * TILE + lid.x] = load(true, gid.y, t * TILE + lid.x);
        right_tile[lid.y * TILE + lid.x] = load(false, t * TILE + lid.y, gid.x);
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += left_tile[lid.y * TILE + k] * right_tile[k * TILE + lid.x];
        }
        workgroupBarrier();
    }
    if gid.y < dims.rows && gid.x < dims.cols {
        product[gid.y * dims.cols + gid.x] = sum;
    }
}
