struct Run { start: u32, end: u32, row: u32, label: atomic<u32> }
@group(0) @binding(0) var<storage, read_write> runs: array<Run>;
@group(0) @binding(1) var<storage, read> row_first: array<u32>;

@compute @workgroup_size(64)
fn merge(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if i >= arrayLength(&runs) { return; }
    let row = runs[i].row;
    if row + 2u >= arrayLength(&row_first) { return; }
    for (var j = row_first[row + 1u]; j < row_first[row + 2u]; j++) {
        if runs[j].start <= runs[i].end && runs[i].start <= runs[j].end {
            let a = atomicLoad(&runs[i].label);
            let b = atomicLoad(&runs[j].label);
            atomicMin(&runs[max(a, b)].label, min(a, b));
        }
    }
}
