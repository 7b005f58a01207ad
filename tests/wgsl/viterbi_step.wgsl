const STATES = 64u;
const INPUTS = 2u;
struct Trellis { previous: array<vec4<u32>, STATES / 2>, expected: array<vec4<f32>, 32> }
@group(0) @binding(0) var<uniform> trellis: Trellis;
@group(0) @binding(1) var<storage, read> received: array<vec2<f32>>;
@group(0) @binding(2) var<storage, read_write> decisions: array<u32>;
var<workgroup> metric: array<array<f32, STATES>, 2>;

@compute @workgroup_size(STATES)
fn decode(@builtin(local_invocation_index) s: u32, @builtin(workgroup_id) frame: vec3u) {
    let length_ = arrayLength(&received);
    metric[0][s] = select(1e6, 0.0, s == 0u);
    for (var t = 0u; t < length_; t++) {
        workgroupBarrier();
        let now = t & 1u;
        let pair = trellis.previous[s / 2u];
        let candidates = select(pair.xy, pair.zw, (s & 1u) == 1u);
        let e = trellis.expected[s / 2u];
        let d0 = distance(received[t], e.xy) + metric[now][candidates.x];
        let d1 = distance(received[t], e.zw) + metric[now][candidates.y];
        metric[1u - now][s] = min(d0, d1);
        if s == 0u { decisions[frame.x * length_ + t] = u32(d1 < d0); }
    }
}
