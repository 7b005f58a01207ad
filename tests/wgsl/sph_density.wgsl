struct Fluid { position: vec2<f32>, velocity: vec2<f32>, density: f32, pressure: f32 }
struct Constants { h: f32, mass: f32, rest_density: f32, stiffness: f32, count: u32 }

@group(0) @binding(0) var<uniform> constants: Constants;
@group(0) @binding(1) var<storage, read_write> fluid: array<Fluid>;
@group(0) @binding(2) var<storage, read> cell_start: array<u32>;
@group(0) @binding(3) var<storage, read> sorted: array<u32>;
@group(0) @binding(4) var<uniform> cells: vec2<u32>;

fn kernel(r2: f32, h: f32) -> f32 {
    let d = h * h - r2;
    return select(0.0, 1.2732395 * d * d * d / pow(h, 8.0), d > 0.0);
}

@compute @workgroup_size(64)
fn density(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if (i >= constants.count) { return; }
    let cell = vec2<i32>(fluid[i].position / constants.h);
    var rho = 0.0;
    for (var dy = -1; dy <= 1; dy++) { for (var dx = -1; dx <= 1; dx++) {
        let c = cell + vec2<i32>(dx, dy);
        if (any(c < vec2<i32>(0)) || any(vec2<u32>(c) >= cells)) { continue; }
        let index = u32(c.y) * cells.x + u32(c.x);
        for (var s = cell_start[index]; s < cell_start[index + 1u]; s++) {
            let d = fluid[i].position - fluid[sorted[s]].position;
            rho += constants.mass * kernel(dot(d, d), constants.h);
        }
    } }
    fluid[i].density = rho;
    fluid[i].pressure = constants.stiffness * (rho - constants.rest_density);
}
