// Summed-area table, first half: along the rows.
@group(0) @binding(0) var<storage, read> image: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<uniform> image_size: vec2u;

@compute @workgroup_size(32)
fn along_rows(@builtin(global_invocation_id) id: vec3u) {
    let y = id.x;
    if y >= image_size.y { return; }
    var sum = 0u;
    for (var x = 0u; x < image_size.x; x++) {
        sum += image[y * image_size.x + x];
        sums[y * image_size.x + x] = sum;
    }
}

@compute @workgroup_size(32)
fn along_columns(@builtin(global_invocation_id) id: vec3u) {
    let x = id.x;
    if x >= image_size.x { return; }
    for (var y = 1u; y < image_size.y; y++) {
        sums[y * image_size.x + x] += sums[(y - 1u) * image_size.x + x];
    }
}
