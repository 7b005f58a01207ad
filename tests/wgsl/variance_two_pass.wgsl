struct Statistics { sum: f32, sum_of_squares: f32, count: f32 }
@group(0) @binding(0) var<storage> samples: array<f32>;
@group(0) @binding(1) var<storage, read_write> statistics: array<Statistics>;
var<workgroup> parts: array<Statistics, 64>;

fn merge(a: Statistics, b: Statistics) -> Statistics {
    return Statistics(a.sum + b.sum, a.sum_of_squares + b.sum_of_squares, a.count + b.count);
}

@compute @workgroup_size(64)
fn gather(@builtin(local_invocation_index) i: u32, @builtin(workgroup_id) w: vec3u, @builtin(num_workgroups) n: vec3u) {
    var mine = Statistics();
    for (var at = w.x * 64u + i; at < arrayLength(&samples); at += n.x * 64u) {
        let s = samples[at];
        mine = merge(mine, Statistics(s, s * s, 1.0));
    }
    parts[i] = mine;
    for (var d = 32u; d != 0u; d >>= 1u) {
        workgroupBarrier();
        if i < d { parts[i] = merge(parts[i], parts[i + d]); }
    }
    if i == 0u { statistics[w.x] = parts[0]; }
}
