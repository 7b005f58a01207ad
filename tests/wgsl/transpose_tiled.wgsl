const TILE = 32u;
const ROWS = 8u;
struct Matrix { rows: u32, columns: u32, elements: array<f32> }

@group(0) @binding(0) var<storage, read> source: Matrix;
@group(0) @binding(1) var<storage, read_write> turned: Matrix;

// One column more than needed, so that columns lie in different banks.
var<workgroup> tile: array<array<f32, TILE + 1>, TILE>;

@compute @workgroup_size(TILE, ROWS)
fn transpose(@builtin(local_invocation_id) l: vec3u, @builtin(workgroup_id) w: vec3u) {
    for (var r = l.y; r < TILE; r += ROWS) {
        let row = w.y * TILE + r;
        let column = w.x * TILE + l.x;
        if row < source.rows && column < source.columns {
            tile[r][l.x] = source.elements[row * source.columns + column];
        }
    }
    workgroupBarrier();
    for (var r = l.y; r < TILE; r += ROWS) {
        let row = w.x * TILE + r;
        let column = w.y * TILE + l.x;
        if row < source.columns && column < source.rows {
            turned.elements[row * source.rows + column] = tile[l.x][r];
        }
    }
}
