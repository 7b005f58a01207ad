struct Options { points: u32, clusters: u32 }
const DIMENSIONS = 4;
alias Point = vec4f;

@group(0) @binding(0) var<storage> points: array<Point>;
@group(0) @binding(1) var<storage> centroids: array<Point>;
@group(0) @binding(2) var<storage, read_write> labels: array<u32>;
@group(0) @binding(3) var<uniform> options: Options;
const_assert DIMENSIONS <= 4;

@compute @workgroup_size(64)
fn assign(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= options.points { return; }
    let points = points[gid.x]; // hides the array from here on
    var best = 0u;
    var least = 3.4e38;
    for (var k = 0u; k < options.clusters; k++) {
        let d = points - centroids[k];
        let d2 = dot(d, d);
        if d2 < least {
            least = d2;
            best = k;
        }
    }
    labels[gid.x] = best;
}
