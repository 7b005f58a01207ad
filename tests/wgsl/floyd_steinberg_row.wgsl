// One row; the error that leaves it goes to the next call.
@group(0) @binding(0) var<storage, read_write> row: array<f32>;
@group(0) @binding(1) var<storage, read_write> next_row: array<f32>;

@compute @workgroup_size(1)
fn dither() {
    let n = arrayLength(&row);
    for (var x = 0u; x < n; x++) {
        let old = row[x];
        let new_value = round(saturate(old));
        let error = old - new_value;
        row[x] = new_value;
        if x + 1 < n { row[x + 1] += error * 7 / 16; next_row[x + 1] += error * 1 / 16; }
        if x > 0 { next_row[x - 1] += error * 3 / 16; }
        next_row[x] += error * 5 / 16;
    }
}
