@group(0) @binding(0) var<storage, read> u_old: array<f32>;
@group(0) @binding(1) var<storage, read_write> u_new: array<f32>;
@group(0) @binding(2) var<storage, read> rhs: array<f32>;
@group(1) @binding(0) var<uniform> grid: vec4<u32>; // nx, ny, -, -
@group(1) @binding(1) var<uniform> h2: f32;

fn idx(i: u32, j: u32) -> u32 { return j * grid.x + i; }

@compute @workgroup_size(16, 16)
fn relax(@builtin(global_invocation_id) g: vec3<u32>) {
    let i = g.x;
    let j = g.y;
    if (i == 0u || j == 0u || i + 1u >= grid.x || j + 1u >= grid.y) {
        return;
    }
    u_new[idx(i, j)] = 0.25 * (u_old[idx(i - 1u, j)] + u_old[idx(i + 1u, j)]
                             + u_old[idx(i, j - 1u)] + u_old[idx(i, j + 1u)]
                             - h2 * rhs[idx(i, j)]);
}
