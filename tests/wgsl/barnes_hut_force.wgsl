struct Node { com: vec3<f32>, mass: f32, child: array<i32, 8>, @size(16) width: f32, }
@group(0) @binding(0) var<storage, read> tree: array<Node>;
@group(0) @binding(1) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> forces: array<vec3<f32>>;
@group(0) @binding(3) var<uniform> theta: f32;

const STACK_DEPTH = 32;

@compute @workgroup_size(64)
fn force(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&bodies) { return; }
    let p = bodies[gid.x].xyz;
    var stack: array<i32, STACK_DEPTH>;
    var top = 1;
    stack[0] = 0;
    var sum = vec3f();
    while top > 0 {
        top -= 1;
        let node = tree[stack[top]];
        let d = node.com - p;
        let r2 = dot(d, d) + 1e-4;
        if node.width * node.width < theta * theta * r2 || node.child[0] < 0 {
            sum += d * node.mass * inverseSqrt(r2 * r2 * r2);
        } else {
            for (var c = 0; c < 8; c++) {
                if node.child[c] > 0 && top < STACK_DEPTH { stack[top] = node.child[c]; top++; }
            }
        }
    }
    forces[gid.x] = sum;
}
