const KMER = 6u;
const TABLE = 1u << (2u * KMER);
@group(0) @binding(0) var<storage, read> bases: array<u32>; // 16 bases a word, 2 bits each
@group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>, TABLE>;

fn base_at(i: u32) -> u32 { return extractBits(bases[i / 16u], (i % 16u) * 2u, 2u); }

@compute @workgroup_size(128)
fn count(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) n: vec3u) {
    let i = gid.x + gid.y * n.x * 128u + gid.z * n.x * n.y * 128u;
    if i + KMER > arrayLength(&bases) * 16u { return; }
    var code = 0u;
    for (var k = 0u; k < KMER; k++) { code = (code << 2u) | base_at(i + k); }
    atomicAdd(&counts[code], 1u);
}
