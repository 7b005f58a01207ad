struct Sieve { limit: u32, prime: u32 }
@group(0) @binding(0) var<uniform> sieve: Sieve;
@group(0) @binding(1) var<storage, read_write> composite: array<atomic<u32>>;

@compute @workgroup_size(256)
fn strike(@builtin(global_invocation_id) gid: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let step = groups.x * 256u;
    for (var k = gid.x + sieve.prime; k * sieve.prime <= sieve.limit; k += step) {
        let n = k * sieve.prime;
        atomicOr(&composite[n >> 5u], 1u << (n & 31u));
    }
}
