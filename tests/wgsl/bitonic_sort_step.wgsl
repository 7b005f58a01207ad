struct Stage { j: u32, k: u32 }
@group(0) @binding(0) var<storage, read_write> keys: array<f32>;
@group(0) @binding(1) var<uniform> stage: Stage;

fn compare_swap(i: u32, l: u32, ascending: bool) {
    let a = keys[i];
    let b = keys[l];
    if ((a > b) == ascending) {
        keys[i] = b;
        keys[l] = a;
    }
}

@compute @workgroup_size(256)
fn bitonic(@builtin(global_invocation_id) gid : vec3<u32>, @builtin(num_workgroups) ng : vec3<u32>) {
    let i = gid.x + gid.y * ng.x * 256u;
    let l = i ^ stage.j;
    if (l > i && l < arrayLength(&keys)) {
        compare_swap(i, l, (i & stage.k) == 0u);
    }
}
