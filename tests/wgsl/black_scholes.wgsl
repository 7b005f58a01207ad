struct Option_ { spot: f32, strike: f32, years: f32 }
struct Market { rate: f32, volatility: f32 }

@group(0) @binding(0) var<storage, read> options: array<Option_>;
@group(0) @binding(1) var<uniform> market: Market;
@group(0) @binding(2) var<storage, read_write> prices: array<vec2<f32>>; // call, put

// Abramowitz and Stegun 26.2.17
fn Φ(x: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.2316419 * abs(x));
    let poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    let tail = 0.39894228 * exp(-0.5 * x * x) * poly;
    return select(tail, 1.0 - tail, x >= 0.0);
}

@compute @workgroup_size(128)
fn price(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&options)) { return; }
    let o = options[id.x];
    let σ = market.volatility;
    let root = σ * sqrt(o.years);
    let d1 = (log(o.spot / o.strike) + (market.rate + 0.5 * σ * σ) * o.years) / root;
    let d2 = d1 - root;
    let discounted = o.strike * exp(-market.rate * o.years);
    prices[id.x] = vec2<f32>(
        o.spot * Φ(d1) - discounted * Φ(d2),
        discounted * Φ(-d2) - o.spot * Φ(-d1));
}
