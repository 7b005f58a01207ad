// Work-efficient exclusive scan, after Blelloch. Two elements an invocation.
override HALF: u32 = 128u;
const BANKS_LOG2 = 5u;

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;

var<workgroup> temp: array<u32, 2 * HALF + 8>;

fn slot(i: u32) -> u32 { return i + (i >> BANKS_LOG2); }

@compute @workgroup_size(HALF)
fn exclusive_scan(@builtin(local_invocation_index) t: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let n = 2u * HALF;
    let base = group.x * n;
    temp[slot(2u * t)] = data[base + 2u * t];
    temp[slot(2u * t + 1u)] = data[base + 2u * t + 1u];

    var offset = 1u;
    for (var d = n >> 1u; d > 0u; d >>= 1u) {
        workgroupBarrier();
        if (t < d) {
            temp[slot(offset * (2u * t + 2u) - 1u)] += temp[slot(offset * (2u * t + 1u) - 1u)];
        }
        offset *= 2u;
    }
    if (t == 0u) {
        sums[group.x] = temp[slot(n - 1u)];
        temp[slot(n - 1u)] = 0u;
    }
    for (var d = 1u; d < n; d *= 2u) {
        offset >>= 1u;
        workgroupBarrier();
        if (t < d) {
            let low = slot(offset * (2u * t + 1u) - 1u);
            let high = slot(offset * (2u * t + 2u) - 1u);
            let kept = temp[low];
            temp[low] = temp[high];
            temp[high] += kept;
        }
    }
    workgroupBarrier();
    data[base + 2u * t] = temp[slot(2u * t)];
    data[base + 2u * t + 1u] = temp[slot(2u * t + 1u)];
}
