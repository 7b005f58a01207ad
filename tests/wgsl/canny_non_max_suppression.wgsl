struct Gradient { magnitude: f32, direction: f32 }
@group(0) @binding(0) var<storage, read> gradients: array<Gradient>;
@group(0) @binding(1) var<storage, read_write> edges: array<u32>;
struct Thresholds { low: f32, high: f32, width: u32, height: u32 }
@group(0) @binding(2) var<uniform> thresholds: Thresholds;

const WEAK: u32 = 1;
const STRONG: u32 = 2;

@compute @workgroup_size(8, 8)
fn suppress(@builtin(global_invocation_id) id: vec3u) {
    let t = thresholds;
    if id.x == 0u || id.y == 0u || id.x + 1u >= t.width || id.y + 1u >= t.height { return; }
    let i = id.y * t.width + id.x;
    let g = gradients[i];
    var step = 1u;
    switch u32(round(g.direction / 0.78539816 + 8.0)) & 3u {
        case 0u { step = 1u; }
        case 1u { step = t.width + 1u; }
        case 2u { step = t.width; }
        case default { step = t.width - 1u; }
    }
    if g.magnitude < gradients[i - step].magnitude || g.magnitude < gradients[i + step].magnitude {
        edges[i] = 0u;
    } else if g.magnitude >= t.high {
        edges[i] = STRONG;
    } else {
        edges[i] = select(0u, WEAK, g.magnitude >= t.low);
    }
}
