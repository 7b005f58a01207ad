alias Complex = vec2<f32>;

struct Stage {
    half_size: u32,
    count: u32,
    direction: f32,
}

@group(0) @binding(0) var<storage, read_write> signal: array<Complex>;
@group(0) @binding(1) var<uniform> stage: Stage;

const TAU = 6.283185307179586;

fn times(a: Complex, b: Complex) -> Complex {
    return Complex(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}

@compute @workgroup_size(64)
fn butterfly(@builtin(global_invocation_id) gid: vec3<u32>) {
    if gid.x * 2u >= stage.count { return; }
    let k = gid.x % stage.half_size;
    let top = (gid.x / stage.half_size) * stage.half_size * 2u + k;
    let angle = stage.direction * TAU * f32(k) / f32(stage.half_size * 2u);
    let twiddle = Complex(cos(angle), sin(angle));
    let even = signal[top];
    let odd = times(twiddle, signal[top + stage.half_size]);
    signal[top] = even + odd;
    signal[top + stage.half_size] = even - odd;
}
