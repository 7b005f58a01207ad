struct Row { a: f32, b: f32, c: f32, d: f32 }
const N = 128u;
@group(0) @binding(0) var<storage, read> systems: array<array<Row, N>>;
@group(0) @binding(1) var<storage, read_write> solutions: array<array<f32, N>>;
var<workgroup> rows: array<Row, N>;

@compute @workgroup_size(N)
fn solve(@builtin(workgroup_id) w: vec3u, @builtin(local_invocation_index) i: u32) {
    rows[i] = systems[w.x][i];
    for (var step = 1u; step < N; step <<= 1u) {
        workgroupBarrier();
        var up = Row(0, 1, 0, 0);
        var down = Row(0, 1, 0, 0);
        if i >= step { up = rows[i - step]; }
        if i + step < N { down = rows[i + step]; }
        let me = rows[i];
        let k1 = me.a / up.b;
        let k2 = me.c / down.b;
        workgroupBarrier();
        rows[i] = Row(-up.a * k1, me.b - up.c * k1 - down.a * k2, -down.c * k2, me.d - up.d * k1 - down.d * k2);
    }
    solutions[w.x][i] = rows[i].d / rows[i].b;
}
