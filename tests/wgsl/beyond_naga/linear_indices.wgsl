// naga 30 does not know the linear indices.
requires linear_indexing;
@group(0) @binding(0) var<storage, read_write> numbers: array<u32>;

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_index) i: u32, @builtin(workgroup_index) group: u32) {
    if i < arrayLength(&numbers) { numbers[i] = group; }
}
