// Three entry points over the same fields; each one needs other bindings.
struct Size { w: i32, h: i32 }
@group(0) @binding(0) var<uniform> size: Size;
@group(0) @binding(1) var<storage, read_write> velocity: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> divergence: array<f32>;
@group(0) @binding(3) var<storage, read_write> pressure: array<f32>;
@group(0) @binding(4) var<storage, read_write> pressure_next: array<f32>;

fn at(x: i32, y: i32) -> i32 {
    return clamp(y, 0, size.h - 1) * size.w + clamp(x, 0, size.w - 1);
}

fn inside(p: vec3u) -> bool { return i32(p.x) < size.w && i32(p.y) < size.h; }

@compute @workgroup_size(8, 8)
fn compute_divergence(@builtin(global_invocation_id) g: vec3u) {
    if !inside(g) { return; }
    let x = i32(g.x); let y = i32(g.y);
    divergence[at(x, y)] = 0.5 * (velocity[at(x + 1, y)].x - velocity[at(x - 1, y)].x
                                + velocity[at(x, y + 1)].y - velocity[at(x, y - 1)].y);
}

@compute @workgroup_size(16, 16)
fn solve_pressure(@builtin(global_invocation_id) g: vec3u) {
    if !inside(g) { return; }
    let x = i32(g.x); let y = i32(g.y);
    pressure_next[at(x, y)] = 0.25 * (pressure[at(x - 1, y)] + pressure[at(x + 1, y)]
        + pressure[at(x, y - 1)] + pressure[at(x, y + 1)] - divergence[at(x, y)]);
}

@workgroup_size(64) @compute
fn subtract_gradient(@builtin(global_invocation_id) g: vec3u) {
    if !inside(g) { return; }
    let x = i32(g.x); let y = i32(g.y);
    velocity[at(x, y)] -= 0.5 * vec2f(pressure[at(x + 1, y)] - pressure[at(x - 1, y)],
                                      pressure[at(x, y + 1)] - pressure[at(x, y - 1)]);
}
