@group(0) @binding(0) var<storage, read> histogram: array<u32, 256>;
@group(0) @binding(1) var<storage, read_write> threshold: u32;

@compute @workgroup_size(1)
fn otsu() {
    var total = 0.0;
    var weighted = 0.0;
    for (var i = 0; i < 256; i++) {
        total += f32(histogram[i]);
        weighted += f32(i) * f32(histogram[i]);
    }
    var below = 0.0;
    var below_weighted = 0.0;
    var best = -1.0;
    for (var i = 0; i < 256; i++) {
        below += f32(histogram[i]);
        below_weighted += f32(i) * f32(histogram[i]);
        let above = total - below;
        if below == 0.0 || above == 0.0 { continue; }
        let difference = below_weighted / below - (weighted - below_weighted) / above;
        let between = below * above * difference * difference;
        if between > best {
            best = between;
            threshold = u32(i);
        }
    }
}
