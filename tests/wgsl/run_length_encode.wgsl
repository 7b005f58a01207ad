@group(0) @binding(0) var<storage, read> symbols: array<u32>;
@group(0) @binding(1) var<storage, read> run_index: array<u32>;
@group(0) @binding(2) var<storage, read_write> run_symbol: array<u32>;
@group(0) @binding(3) var<storage, read_write> run_start: array<u32>;

@compute @workgroup_size(64)
fn heads(@builtin(global_invocation_id) gid: vec3u) {
    let i = gid.x;
    if (i >= arrayLength(&symbols)) {
        return;
    }
    var is_head = i == 0u;
    if (!is_head) {
        is_head = symbols[i] != symbols[i - 1u];
    }
    if (is_head) {
        let r = run_index[i];
        run_symbol[r] = symbols[i];
        run_start[r] = i;
    }
}
