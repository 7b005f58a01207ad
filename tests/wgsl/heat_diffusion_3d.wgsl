struct Domain {
    extent: vec3<u32>,
    alpha: f32,
    spacing: vec3<f32>,
    dt: f32,
}

@group(0) @binding(0) var<uniform> domain: Domain;
@group(0) @binding(1) var<storage, read> temperature: array<f32>;
@group(0) @binding(2) var<storage, read_write> result: array<f32>;

fn at(cell: vec3<i32>) -> f32 {
    let c = vec3<u32>(clamp(cell, vec3<i32>(0), vec3<i32>(domain.extent) - vec3<i32>(1)));
    return temperature[(c.z * domain.extent.y + c.y) * domain.extent.x + c.x];
}

@compute @workgroup_size(4, 4, 4)
fn diffuse(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id >= domain.extent)) {
        return;
    }
    let c = vec3<i32>(id);
    let here = at(c);
    let dx = vec3<i32>(1, 0, 0);
    let dy = vec3<i32>(0, 1, 0);
    let dz = vec3<i32>(0, 0, 1);
    let second = vec3<f32>(
        at(c + dx) - 2.0 * here + at(c - dx),
        at(c + dy) - 2.0 * here + at(c - dy),
        at(c + dz) - 2.0 * here + at(c - dz),
    ) / (domain.spacing * domain.spacing);
    result[(id.z * domain.extent.y + id.y) * domain.extent.x + id.x] =
        here + domain.alpha * domain.dt * (second.x + second.y + second.z);
}
