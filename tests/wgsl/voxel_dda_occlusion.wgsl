const_assert 1u << 5u == 32u;
const BRICK = 8u;
const WORDS = BRICK * BRICK * BRICK / 32u;
const_assert(WORDS == 16u);

struct Brick { occupancy: array<u32, WORDS>, }
@group(0) @binding(0) var<storage, read> bricks: array<Brick>;
@group(0) @binding(1) var<storage, read> rays: array<array<vec4f,2>>;
@group(0) @binding(2) var<storage, read_write> hits: array<i32>;

fn is_solid(brick: u32, p: vec3i) -> bool {
    let q = vec3u(p);
    let bit = (q.z * BRICK + q.y) * BRICK + q.x;
    return ((bricks[brick].occupancy[bit / 32u] >> (bit % 32u)) & 1u) == 1u;
}

@compute @workgroup_size(64)
fn trace(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&rays) { return; }
    let origin = rays[gid.x][0].xyz;
    let direction = rays[gid.x][1].xyz;
    let brick = u32(rays[gid.x][0].w);
    var cell = vec3i(floor(origin));
    let step = vec3i(sign(direction));
    let delta = abs(1.0 / direction);
    var side = (vec3f(step) * (vec3f(cell) - origin) + 0.5 * vec3f(step) + 0.5) * delta;
    var steps = 0;
    hits[gid.x] = -1;
    while all(cell >= vec3i()) && all(cell < vec3i(i32(BRICK))) {
        if is_solid(brick, cell) { hits[gid.x] = steps; return; }
        if side.x < side.y && side.x < side.z { side.x += delta.x; cell.x += step.x; }
        else if side.y < side.z { side.y += delta.y; cell.y += step.y; }
        else { side.z += delta.z; cell.z += step.z; }
        steps++;
    }
}
