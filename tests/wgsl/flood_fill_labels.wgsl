// Spreads the least label among equal neighbours until nothing changes.
@group(0) @binding(0) var<storage, read> image: array<u32>;
@group(0) @binding(1) var<storage, read_write> labels: array<atomic<u32>>;
@group(0) @binding(2) var<storage, read_write> changed: atomic<u32>;
@group(0) @binding(3) var<uniform> width: u32;

@compute @workgroup_size(256)
fn spread(@builtin(global_invocation_id) gid: vec3<u32>) {
    let i = gid.x;
    let count = arrayLength(&image);
    if i >= count { return; }
    let color = image[i];
    var least = atomicLoad(&labels[i]);
    let x = i % width;
    if x > 0u && image[i - 1u] == color { least = min(least, atomicLoad(&labels[i - 1u])); }
    if x + 1u < width && i + 1u < count && image[i + 1u] == color { least = min(least, atomicLoad(&labels[i + 1u])); }
    if i >= width && image[i - width] == color { least = min(least, atomicLoad(&labels[i - width])); }
    if i + width < count && image[i + width] == color { least = min(least, atomicLoad(&labels[i + width])); }
    if atomicMin(&labels[i], least) > least { atomicOr(&changed, 1u); }
}
