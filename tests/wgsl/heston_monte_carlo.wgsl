struct Heston { κ: f32, θ: f32, ξ: f32, ρ: f32, v0: f32, s0: f32, rate: f32, dt: f32, steps: u32, paths: u32, seed: vec2<u32> }

@group(0) @binding(0) var<uniform> modell: Heston;
@group(0) @binding(1) var<storage, read_write> endwerte: array<f32>;

fn zufall(zähler: ptr<function, vec2<u32>>) -> f32 {
    var v = *zähler;
    v = v * 1664525u + 1013904223u;
    v.x += v.y * 1664525u; v.y += v.x * 1664525u;
    v ^= v >> vec2<u32>(16u);
    *zähler += vec2<u32>(1u, 0u);
    return f32(v.x >> 8u) / 16777216.0;
}

@compute @workgroup_size(64)
fn pfade(@builtin(global_invocation_id) größe: vec3<u32>) {
    if größe.x >= modell.paths { return; }
    var zähler = modell.seed + vec2<u32>(0u, größe.x);
    var varianz = modell.v0;
    var log_s = log(modell.s0);
    let Δt = modell.dt;
    for (var schritt = 0u; schritt < modell.steps; schritt++) {
        let u1 = max(zufall(&zähler), 1e-7);
        let u2 = zufall(&zähler);
        let r = sqrt(-2.0 * log(u1));
        let z1 = r * cos(6.2831853 * u2);
        let z2 = modell.ρ * z1 + sqrt(1.0 - modell.ρ * modell.ρ) * r * sin(6.2831853 * u2);
        let v = max(varianz, 0.0);
        log_s += (modell.rate - 0.5 * v) * Δt + sqrt(v * Δt) * z1;
        varianz += modell.κ * (modell.θ - v) * Δt + modell.ξ * sqrt(v * Δt) * z2;
    }
    endwerte[größe.x] = exp(log_s);
}
