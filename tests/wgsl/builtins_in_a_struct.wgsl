struct Where {
    @builtin(global_invocation_id) global: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
}
struct Lane { @builtin(local_invocation_index) index: u32 }
alias Place = Where;

@group(0) @binding(0) var<storage, read_write> squares: array<u32>;

fn flatten(place: Place) -> u32 {
    return place.global.x + place.global.y * place.count.x * 64u;
}

@compute @workgroup_size(64)
fn folded(place: Place) {
    let i = flatten(place);
    if i < arrayLength(&squares) { squares[i] = i * i; }
}

@compute @workgroup_size(64)
fn flat(lane: Lane, @builtin(workgroup_id) w: vec3<u32>) {
    squares[w.x * 64u + lane.index] = 0u;
}
