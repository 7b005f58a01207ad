@group(0) @binding(0) var<storage, read_write> d: array<f32>;
struct Pivot { n: u32, k: u32 }
@group(0) @binding(1) var<uniform> pivot: Pivot;

@compute @workgroup_size(16, 16)
fn shortest(@builtin(global_invocation_id) id: vec3u) {
    let n = pivot.n;
    if id.x >= n || id.y >= n { return; }
    let through = d[id.y * n + pivot.k] + d[pivot.k * n + id.x];
    let at = id.y * n + id.x;
    d[at] = min(d[at], through);
}
