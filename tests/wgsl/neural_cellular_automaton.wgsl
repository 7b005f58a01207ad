// Sizes are a constant structure whose members have the names of bindings.
struct Sizes { state: u32, hidden: u32, weights: u32 }
const SIZES = Sizes(16u, 64u, 1024u);
const STATE = SIZES.state;
const HIDDEN = SIZES.hidden;

@group(0) @binding(0) var<storage, read> state: array<f32>;
@group(0) @binding(1) var<storage, read_write> state_next: array<f32>;
@group(0) @binding(2) var<storage, read_write> hidden: array<f32>;
@group(0) @binding(3) var<storage, read> weights: array<f32>;
@group(0) @binding(4) var<uniform> grid: vec2<u32>;

@compute @workgroup_size(8, 8)
fn perceive(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= grid) { return; }
    let cell = id.y * grid.x + id.x;
    for (var h = 0u; h < HIDDEN; h++) {
        var sum = 0.0;
        for (var s = 0u; s < STATE; s++) {
            sum += weights[h * STATE + s] * state[cell * STATE + s];
        }
        hidden[cell * HIDDEN + h] = max(sum, 0.0);
    }
}

@compute @workgroup_size(64)
fn reset(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&state_next) { return; }
    state_next[id.x] = f32(id.x % STATE == 0u) / f32(HIDDEN);
}
