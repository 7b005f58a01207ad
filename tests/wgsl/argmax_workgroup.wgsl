override SIZE: u32 = 128u;
struct Candidate { value: f32, at: u32 }
@group(0) @binding(0) var<storage, read> v: array<f32>;
@group(0) @binding(1) var<storage, read_write> winners: array<Candidate>;
var<workgroup> candidates: array<Candidate, SIZE>;

fn better(a: Candidate, b: Candidate) -> bool {
    return a.value > b.value || (a.value == b.value && a.at < b.at);
}

@compute @workgroup_size(SIZE, 1, 1)
fn argmax(
    @builtin(num_workgroups) num: vec3<u32>,
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(local_invocation_index) lane: u32,
) {
    var best = Candidate(-3.4028e38, 0xffffffffu);
    for (var i = group.x * SIZE + lane; i < arrayLength(&v); i += num.x * SIZE) {
        let mine = Candidate(v[i], i);
        if better(mine, best) { best = mine; }
    }
    candidates[lane] = best;
    workgroupBarrier();
    var half = SIZE >> 1u;
    while half > 0u {
        if lane < half && better(candidates[lane + half], candidates[lane]) {
            candidates[lane] = candidates[lane + half];
        }
        workgroupBarrier();
        half = half >> 1u;
    }
    if lane == 0u { winners[group.x] = candidates[0]; }
}
