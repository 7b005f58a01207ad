@group(0) @binding(0) var<storage, read> spectra: array<vec2f>;
@group(0) @binding(1) var<storage, read_write> decibels: array<f32>;
struct Range { floor_db: f32, ceiling_db: f32, bins: u32, }
@group(0) @binding(5) var<uniform> range: Range;

@compute
@workgroup_size(
    32,  // bins
    8,   // frames
)
fn magnitude(
    @builtin(global_invocation_id)
    id: vec3u,
)
{
    if id.x >= range.bins { return; }
    let i = id.y * range.bins + id.x;
    if i >= arrayLength(&decibels) { return; }
    let power = dot(spectra[i], spectra[i]);
    let db = 10.0 * log2(max(power, 1e-20)) / log2(10.0);
    decibels[i] = saturate((db - range.floor_db) / (range.ceiling_db - range.floor_db));
}
