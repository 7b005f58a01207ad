struct Bounds { least: vec3<f32>, @align(16) greatest: vec3<f32> }
@group(0) @binding(0) var<uniform> bounds: Bounds;
@group(0) @binding(1) var<storage, read> centers: array<vec3<f32>>;
@group(0) @binding(2) var<storage, read_write> codes: array<u32>;

fn spread(v: u32) -> u32 {
    var x = v & 0x3ffu;
    x = (x | (x << 16u)) & 0x030000ffu;
    x = (x | (x <<  8u)) & 0x0300f00fu;
    x = (x | (x <<  4u)) & 0x030c30c3u;
    x = (x | (x <<  2u)) & 0x09249249u;
    return x;
}

@compute @workgroup_size(256)
fn encode(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&centers)) { return; }
    let unit = (centers[id.x] - bounds.least) / (bounds.greatest - bounds.least);
    let cell = vec3<u32>(clamp(unit * 1024.0, vec3<f32>(0.0), vec3<f32>(1023.0)));
    codes[id.x] = (spread(cell.x) << 2u) | (spread(cell.y) << 1u) | spread(cell.z);
}
