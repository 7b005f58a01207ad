struct Vertex { position: vec3f, pinned: u32, previous: vec3f, padding: u32 }
struct Cloth { columns: u32, rows: u32, rest_length: f32, dt: f32, wind: vec3f, gravity: f32 }

@group(0) @binding(0) var<storage, read> before: array<Vertex>;
@group(0) @binding(1) var<storage, read_write> after: array<Vertex>;
@group(0) @binding(2) var<uniform> cloth: Cloth;

fn spring(p: vec3f, x: i32, y: i32, scale: f32) -> vec3f {
    if x < 0 || y < 0 || x >= i32(cloth.columns) || y >= i32(cloth.rows) { return vec3f(); }
    let d = before[u32(y) * cloth.columns + u32(x)].position - p;
    let length_now = max(length(d), 1e-6);
    return d / length_now * (length_now - cloth.rest_length * scale);
}

@compute @workgroup_size(8, 8)
fn integrate(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= cloth.columns || id.y >= cloth.rows { return; }
    let at = id.y * cloth.columns + id.x;
    let v = before[at];
    if v.pinned != 0u {
        after[at] = v;
        return;
    }
    let x = i32(id.x);
    let y = i32(id.y);
    var force = vec3f(0.0, -cloth.gravity, 0.0) + cloth.wind;
    force += 400.0 * (spring(v.position, x - 1, y, 1.0) + spring(v.position, x + 1, y, 1.0)
                    + spring(v.position, x, y - 1, 1.0) + spring(v.position, x, y + 1, 1.0));
    const DIAGONAL = sqrt(2.0);
    force += 200.0 * (spring(v.position, x - 1, y - 1, DIAGONAL) + spring(v.position, x + 1, y + 1, DIAGONAL));
    let next = v.position + 0.99 * (v.position - v.previous) + force * cloth.dt * cloth.dt;
    after[at] = Vertex(next, 0u, v.position, 0u);
}
