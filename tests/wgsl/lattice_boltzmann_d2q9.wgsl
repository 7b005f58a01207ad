const Q = 9u;
const WEIGHTS = array<f32, 9>(4.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 9, 1.0 / 36, 1.0 / 36, 1.0 / 36, 1.0 / 36);
const CX = array<i32, 9>(0, 1, 0, -1, 0, 1, -1, -1, 1);
const CY = array<i32, 9>(0, 0, 1, 0, -1, 1, 1, -1, -1);

struct Lattice { width: u32, height: u32, omega: f32, inflow: f32 }

@group(0) @binding(0) var<uniform> lattice: Lattice;
@group(0) @binding(1) var<storage, read> f_in: array<f32>;
@group(0) @binding(2) var<storage, read_write> f_out: array<f32>;
@group(0) @binding(3) var<storage, read> solid: array<u32>;
@group(0) @binding(4) var<storage, read_write> velocity: array<vec2f>;

@compute @workgroup_size(16, 4)
fn stream_collide(@builtin(global_invocation_id) id: vec3u) {
    let w = lattice.width;
    let h = lattice.height;
    if id.x >= w || id.y >= h { return; }
    let cells = w * h;
    let here = id.y * w + id.x;
    var f: array<f32, Q>;
    var rho = 0.0;
    var momentum = vec2f();
    for (var q = 0u; q < Q; q++) {
        let x = (id.x + w - u32(CX[q] + 1) + 1u) % w;
        let y = (id.y + h - u32(CY[q] + 1) + 1u) % h;
        f[q] = f_in[q * cells + y * w + x];
        rho += f[q];
        momentum += f[q] * vec2f(f32(CX[q]), f32(CY[q]));
    }
    let u = momentum / rho;
    velocity[here] = u;
    let blocked = (solid[here / 32u] >> (here % 32u)) & 1u;
    for (var q = 0u; q < Q; q++) {
        let cu = 3.0 * dot(u, vec2f(f32(CX[q]), f32(CY[q])));
        let equilibrium = WEIGHTS[q] * rho * (1.0 + cu + 0.5 * cu * cu - 1.5 * dot(u, u));
        f_out[q * cells + here] = select(mix(f[q], equilibrium, lattice.omega), f[q], blocked == 1u);
    }
}
