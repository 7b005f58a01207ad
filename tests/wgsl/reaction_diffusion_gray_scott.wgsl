struct GrayScott {
    diffusion: vec2f,
    feed: f32,
    kill: f32,
    dt: f32,
    width: u32,
    height: u32,
};
@group(0) @binding(0) var<uniform> p: GrayScott;
@group(0) @binding(1) var<storage, read> uv: array<vec2f>;
@group(0) @binding(2) var<storage, read_write> uv_next: array<vec2f>;

fn wrap(x: i32, n: u32) -> u32 { return u32((x + i32(n)) % i32(n)); }
fn cell(x: i32, y: i32) -> vec2f { return uv[wrap(y, p.height) * p.width + wrap(x, p.width)]; }

@compute @workgroup_size(8, 8)
fn react(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= p.width || gid.y >= p.height { return; }
    let x = i32(gid.x); let y = i32(gid.y);
    let c = cell(x, y);
    let laplacian = 0.2 * (cell(x - 1, y) + cell(x + 1, y) + cell(x, y - 1) + cell(x, y + 1))
        + 0.05 * (cell(x - 1, y - 1) + cell(x + 1, y - 1) + cell(x - 1, y + 1) + cell(x + 1, y + 1)) - c;
    let uvv = c.x * c.y * c.y;
    let change = p.diffusion * laplacian + vec2f(p.feed * (1.0 - c.x) - uvv, uvv - (p.kill + p.feed) * c.y);
    uv_next[gid.y * p.width + gid.x] = c + p.dt * change;
}
