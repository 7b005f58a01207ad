// Sobel: the length of the brightness gradient, as a grey picture. Sums are exact integers, the square root is f32.
@group(0) @binding(0) var<storage, read> pixels: array<u32>;
@group(0) @binding(1) var<uniform> size: vec2i;
@group(0) @binding(2) var<storage, read_write> edges: array<u32>;

fn luma(x: i32, y: i32) -> i32 {
    let inside = clamp(vec2i(x, y), vec2i(0), size - 1);
    let pixel = pixels[inside.y * size.x + inside.x];
    return i32((77 * (pixel & 255) + 150 * ((pixel >> 8) & 255) + 29 * ((pixel >> 16) & 255) + 128) >> 8);
}

@compute @workgroup_size(16, 16)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let x = i32(id.x);
    let y = i32(id.y);
    if (x >= size.x || y >= size.y) { return; }
    let north_west = luma(x - 1, y - 1);
    let north_east = luma(x + 1, y - 1);
    let south_west = luma(x - 1, y + 1);
    let south_east = luma(x + 1, y + 1);
    let across = north_east + 2 * luma(x + 1, y) + south_east - north_west - 2 * luma(x - 1, y) - south_west;
    let down = south_west + 2 * luma(x, y + 1) + south_east - north_west - 2 * luma(x, y - 1) - north_east;
    let grey = u32(min(round(sqrt(f32(across * across + down * down))), 255.0));
    edges[y * size.x + x] = (grey * 0x010101) | 0xff000000;
}
