@group(0) @binding(0) var<storage, read_write> random: array<u32>;
@group(0) @binding(1) var<uniform> seed: u32;

fn pcg(v: u32) -> u32 {
    let state = v * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) n: vec3u) {
    let i = gid.x + gid.y * n.x * 256;
    if (i < arrayLength(&random)) { random[i] = pcg(i ^ pcg(seed)); }
}
