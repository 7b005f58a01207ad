@group(0) @binding(0) var<uniform> dims: vec2<i32>;
@group(0) @binding(1) var<storage, read> gray_in: array<f32>;
@group(0) @binding(2) var<storage, read_write> gray_out: array<f32>;

fn sample(x: i32, y: i32) -> f32 {
    return gray_in[clamp(y, 0, dims.y - 1) * dims.x + clamp(x, 0, dims.x - 1)];
}

@compute @workgroup_size(8, 8)
fn median(@builtin(global_invocation_id) id: vec3<u32>) {
    let x = i32(id.x);
    let y = i32(id.y);
    if (x >= dims.x || y >= dims.y) { return; }
    var window: array<f32, 9>;
    for (var k = 0; k < 9; k = k + 1) {
        window[k] = sample(x + k % 3 - 1, y + k / 3 - 1);
    }
    // Selection sort up to the middle is enough.
    for (var i = 0; i < 5; i = i + 1) {
        var least = i;
        for (var j = i + 1; j < 9; j = j + 1) {
            if (window[j] < window[least]) { least = j; }
        }
        let value = window[least];
        window[least] = window[i];
        window[i] = value;
    }
    gray_out[y * dims.x + x] = window[4];
}
