struct View { center: vec2f, scale: f32, max_iterations: u32, size: vec2u }
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var<storage, read_write> iterations: array<u32>;

@compute @workgroup_size(8, 8)
fn mandelbrot(@builtin(global_invocation_id) pixel: vec3u) {
    if (pixel.x >= view.size.x || pixel.y >= view.size.y) { return; }
    let c = view.center + (vec2f(pixel.xy) / vec2f(view.size) - 0.5) * view.scale;
    var z = vec2f(0.0, 0.0);
    var n = 0u;
    while (n < view.max_iterations && dot(z, z) < 4.0) {
        z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    iterations[pixel.y * view.size.x + pixel.x] = n;
}
