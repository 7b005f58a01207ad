// naga 30 takes no pointers into workgroup memory as parameters.
var<workgroup> sums: array<f32, 64>;
var<private> lane_id: u32;
@group(0) @binding(0) var<storage, read> data: array<f32>;
@group(0) @binding(1) var<storage, read_write> total: array<f32>;

fn fold(sums: ptr<workgroup, array<f32, 64>>, width: u32) {
    if lane_id < width { (*sums)[lane_id] += (*sums)[lane_id + width]; }
    workgroupBarrier();
}

@compute @workgroup_size(64, 1, 1)
fn sum(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) w: vec3u) {
    lane_id = lane;
    sums[lane] = data[w.x * 64u + lane];
    workgroupBarrier();
    fold(&sums, 32u); fold(&sums, 16u); fold(&sums, 8u);
    fold(&sums, 4u); fold(&sums, 2u); fold(&sums, 1u);
    let all = workgroupUniformLoad(&sums[0]);
    if lane == 0u { total[w.x] = all; }
}
