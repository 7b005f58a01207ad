struct Scoring { match_score: i32, mismatch: i32, gap: i32 }
@group(0) @binding(0) var<uniform> scoring: Scoring;
@group(0) @binding(1) var<storage, read> query: array<u32>;
@group(0) @binding(2) var<storage, read> targets: array<array<u32, 256>>;
@group(0) @binding(3) var<storage, read_write> scores: array<i32>;

@compute @workgroup_size(32)
fn align_(@builtin(global_invocation_id) gid: vec3u) {
    if gid.x >= arrayLength(&targets) { return; }
    var row: array<i32, 257>;
    var best = 0;
    for (var i = 0u; i < arrayLength(&query); i++) {
        var diagonal = 0;
        for (var j = 1u; j <= 256u; j++) {
            let same = query[i] == targets[gid.x][j - 1u];
            let up = row[j];
            var score = max(0, diagonal + select(scoring.mismatch, scoring.match_score, same));
            score = max(score, max(up, row[j - 1u]) + scoring.gap);
            diagonal = up;
            row[j] = score;
            best = max(best, score);
        }
    }
    scores[gid.x] = best;
}
