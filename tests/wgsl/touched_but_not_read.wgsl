// A variable is used where it is named, read or not: an explicit bind group layout must have it.
@group(0) @binding(0) var<storage, read> kept: array<u32>;
@group(0) @binding(1) var<storage, read> pointed_at: array<u32>;
@group(0) @binding(2) var<storage, read_write> numbers: array<u32>;
@group(0) @binding(3) var<storage, read> nowhere: array<u32>;

@compute @workgroup_size(64)
fn touch(@builtin(global_invocation_id) id: vec3<u32>) {
    _ = &kept;
    let unused = &pointed_at;
    numbers[id.x] = id.x;
}
