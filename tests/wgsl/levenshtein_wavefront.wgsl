// One anti-diagonal of the edit distance table.
struct Wave { m: u32, n: u32, diagonal: u32, }
@group(0) @binding(0) var<uniform> wave: Wave;
@group(0) @binding(1) var<storage, read> a: array<u32>;
@group(0) @binding(2) var<storage, read> b: array<u32>;
@group(0) @binding(3) var<storage, read_write> distances: array<u32>;

fn cell(i: u32, j: u32) -> u32 {
    return i * (wave.n + 1u) + j;
}

@compute @workgroup_size(64)
fn diagonal(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if i > wave.m || i > wave.diagonal || wave.diagonal - i > wave.n { return; }
    let j = wave.diagonal - i;
    if i == 0u || j == 0u {
        distances[cell(i, j)] = i + j;
        return;
    }
    let substitute = distances[cell(i - 1u, j - 1u)] + u32(a[i - 1u] != b[j - 1u]);
    let remove = distances[cell(i - 1u, j)] + 1u;
    let insert = distances[cell(i, j - 1u)] + 1u;
    distances[cell(i, j)] = min(substitute, min(remove, insert));
}
