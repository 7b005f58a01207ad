const K: i32 = 8;
struct Entry { score: f32, index: u32 }
alias Best = array<Entry, K>;

@group(0) @binding(0) var<storage, read> scores: array<f32>;
@group(0) @binding(1) var<storage, read_write> best: array<Best>;

@compute @workgroup_size(32)
fn top(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let lanes = groups.x * 32u;
    var top: Best;
    for (var k = 0; k < K; k++) { top[k] = Entry(-1e30, 0u); }
    for (var i = gid.x; i < arrayLength(&scores); i += lanes) {
        var entry = Entry(scores[i], i);
        if entry.score <= top[K - 1].score { continue; }
        for (var k = 0; k < K; k++) {
            if entry.score > top[k].score {
                let worse = top[k];
                top[k] = entry;
                entry = worse;
            }
        }
    }
    if gid.x < arrayLength(&best) { best[gid.x] = top; }
}
