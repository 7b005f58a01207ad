// naga 30 does not know `enable subgroups`.
enable subgroups, f16;
requires subgroup_id;
diagnostic(off, subgroup_uniformity);

@group(0) @binding(0) var<storage, read> samples: array<vec2<f16>>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;
var<workgroup> parts: array<f32, 64>;

@compute @workgroup_size(64)
fn sum(
    @builtin(global_invocation_id) id: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) part: u32,
) {
    let pair = vec2<f32>(samples[min(id.x, arrayLength(&samples) - 1u)]);
    let total = subgroupAdd(pair.x + pair.y);
    if lane == 0u { parts[part] = total; }
    workgroupBarrier();
    if id.x % 64u == 0u {
        var sum = 0f;
        for (var i = 0u; i < 64u / width; i++) { sum += parts[i]; }
        sums[group.x] = sum;
    }
}
