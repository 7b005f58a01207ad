struct Ising { beta: f32, field: f32, size: u32, color: u32 }
@group(0) @binding(0) var<uniform> ising: Ising;
@group(0) @binding(1) var<storage, read_write> spins: array<i32>;
@group(0) @binding(2) var<storage, read> random: array<f32>;

@compute @workgroup_size(8, 8)
fn sweep(@builtin(global_invocation_id) id: vec3u) {
    let n = ising.size;
    let x = id.x * 2u + ((id.y + ising.color) & 1u);
    let y = id.y;
    if x >= n || y >= n { return; }
    let here = y * n + x;
    let around = spins[y * n + (x + 1u) % n] + spins[y * n + (x + n - 1u) % n]
        + spins[((y + 1u) % n) * n + x] + spins[((y + n - 1u) % n) * n + x];
    let energy = 2.0 * f32(spins[here]) * (f32(around) + ising.field);
    if energy <= 0.0 || random[here] < exp(-ising.beta * energy) {
        spins[here] = -spins[here];
    }
}
