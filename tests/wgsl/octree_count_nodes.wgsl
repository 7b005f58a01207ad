/* Barnes-Hut, step 1.
 * The tree itself is described in /* section 2 of */ the paper.
 * var<storage, read_write> nodes: array<u32>;   <- the old layout, gone
 */
struct Cell {
    /* x, y, z /* and w = mass */ */ center_of_mass: vec4<f32>,
    first_child: atomic<i32>,
    body_count: atomic<u32>,
}
// @group(0) @binding(0) var<uniform> disabled: vec4<f32>;
@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> cells: array<Cell>;
/**/ @group(0) /* between */ @binding(2) // here too
var<uniform> /* root */ root_size: f32;

fn octant(p: vec3<f32>, c: vec3<f32>) -> u32 {
    let s = vec3<u32>(p >= c);
    return s.x | (s.y << 1u) | (s.z << 2u);
}

@compute /* not a vertex shader */ @workgroup_size(64 /* lanes */)
fn count(@builtin(global_invocation_id) id: vec3<u32>) {
    if (id.x >= arrayLength(&bodies)) { return; } /*/ still a comment /*/ nested */ */
    var at = 0;
    var size = root_size;
    var center = vec3<f32>(0.0);
    loop {
        atomicAdd(&cells[at].body_count, 1u);
        let child = atomicLoad(&cells[at].first_child);
        if (child < 0) { break; }
        let o = octant(bodies[id.x].xyz, center);
        size *= 0.5;
        center += size * (vec3<f32>(f32(o & 1u), f32((o >> 1u) & 1u), f32(o >> 2u)) - 0.5);
        at = child + i32(o);
    }
}
