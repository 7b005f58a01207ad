struct Body {
    position: vec3<f32>,
    mass: f32,
    velocity: vec3<f32>,
    @align(16) padding: f32,
}

struct Simulation {
    delta_t: f32,
    softening: f32,
    body_count: u32,
}

@group(0) @binding(0) var<storage, read> before: array<Body>;
@group(0) @binding(1) var<storage, read_write> after: array<Body>;
@group(0) @binding(2) var<uniform> simulation: Simulation;

fn acceleration(on: vec3<f32>, by: Body) -> vec3<f32> {
    let d = by.position - on;
    let r2 = dot(d, d) + simulation.softening * simulation.softening;
    return by.mass * d * inverseSqrt(r2 * r2 * r2);
}

@compute @workgroup_size(64)
fn step(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let i = global_id.x;
    if i >= simulation.body_count {
        return;
    }
    var me = before[i];
    var force = vec3<f32>();
    for (var j = 0u; j < simulation.body_count; j++) {
        force += acceleration(me.position, before[j]);
    }
    me.velocity += force * simulation.delta_t;
    me.position += me.velocity * simulation.delta_t;
    after[i] = me;
}
