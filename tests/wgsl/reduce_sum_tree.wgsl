override WORKGROUP: u32 = 256;

@group(0) @binding(0) var<storage, read> input: array<f32>;
@group(0) @binding(1) var<storage, read_write> partial_sums: array<f32>;

var<workgroup> scratch: array<f32, WORKGROUP>;

@compute @workgroup_size(WORKGROUP)
fn reduce(@builtin(local_invocation_id) lid: vec3<u32>,
          @builtin(workgroup_id) wid: vec3<u32>,
          @builtin(global_invocation_id) gid: vec3<u32>) {
    scratch[lid.x] = select(0.0, input[gid.x], gid.x < arrayLength(&input));
    for (var half = WORKGROUP / 2u; half > 0u; half >>= 1u) {
        workgroupBarrier();
        if lid.x < half {
            scratch[lid.x] += scratch[lid.x + half];
        }
    }
    if lid.x == 0u {
        partial_sums[wid.x] = scratch[0];
    }
}
