// One workgroup a puzzle, one invocation a cell.
const SIDE = 9u;
const CELLS = SIDE * SIDE;
@group(0) @binding(0) var<storage, read> puzzles: array<array<u32, CELLS>>;
@group(0) @binding(1) var<storage, read_write> candidates: array<array<u32, CELLS>>;
@group(0) @binding(2) var<storage, read_write> contradictions: array<atomic<u32>>;
var<workgroup> cells: array<u32, CELLS>;

@compute @workgroup_size(SIDE, SIDE)
fn eliminate(@builtin(workgroup_id) puzzle: vec3u, @builtin(local_invocation_id) cell: vec3u) {
    let me = cell.y * SIDE + cell.x;
    cells[me] = puzzles[puzzle.x][me];
    workgroupBarrier();
    var used = 0u;
    for (var k = 0u; k < SIDE; k++) {
        let box_cell = (cell.y / 3u * 3u + k / 3u) * SIDE + cell.x / 3u * 3u + k % 3u;
        let peers = vec3u(cell.y * SIDE + k, k * SIDE + cell.x, box_cell);
        for (var p = 0; p < 3; p++) {
            if peers[p] != me && cells[peers[p]] != 0u { used |= 1u << cells[peers[p]]; }
        }
    }
    let left = select(~used & 0x3feu, 1u << cells[me], cells[me] != 0u);
    candidates[puzzle.x][me] = left;
    if left == 0u { atomicAdd(&contradictions[puzzle.x], 1u); }
}
