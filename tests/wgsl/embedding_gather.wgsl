struct Embedding { vocabulary: u32, dim: u32 }
@group(0) @binding(0) var<uniform> embedding: Embedding;
@group(0) @binding(1) var<storage, read> token_ids: array<i32>;
@group(0) @binding(2) var<storage, read> table: array<f32>;
@group(0) @binding(3) var<storage, read_write> rows: array<f32>;

@compute @workgroup_size(64, 4)
fn gather(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    let token = id.y;
    if (column >= embedding.dim || token >= arrayLength(&token_ids)) { return; }
    let index = token_ids[token];
    let to = token * embedding.dim + column;
    if (index < 0 || u32(index) >= embedding.vocabulary) {
        rows[to] = 0.0;
    } else {
        rows[to] = table[u32(index) * embedding.dim + column];
    }
}
