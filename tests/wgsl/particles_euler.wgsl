struct Particle {
    pos : vec2<f32>,
    vel : vec2<f32>,
}
struct SimParams {
    deltaT : f32,
    gravity : vec2<f32>,
    bounds : vec4<f32>,
}
struct Particles { particles : array<Particle>, }

@binding(0) @group(0) var<uniform> params : SimParams;
@binding(1) @group(0) var<storage, read_write> state : Particles;

// Vertex stage that draws the same buffer: not part of the compute pipeline.
@binding(2) @group(0) var<storage, read> drawn : array<Particle>;

@vertex
fn vs(@builtin(vertex_index) i : u32) -> @builtin(position) vec4<f32> {
    return vec4<f32>(drawn[i].pos, 0.0, 1.0);
}

@fragment
fn fs() -> @location(0) vec4<f32> {
    return vec4<f32>(1.0, 0.6, 0.1, 1.0);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3<u32>) {
    let i = id.x;
    if (i >= arrayLength(&state.particles)) { return; }
    var p = state.particles[i];
    p.vel += params.gravity * params.deltaT;
    p.pos += p.vel * params.deltaT;
    if (p.pos.x < params.bounds.x || p.pos.x > params.bounds.z) { p.vel.x = -p.vel.x; }
    if (p.pos.y < params.bounds.y || p.pos.y > params.bounds.w) { p.vel.y = -p.vel.y; }
    state.particles[i] = p;
}
