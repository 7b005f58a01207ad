struct Sphere { center: vec3<f32>, radius: f32, albedo: vec3<f32>, emission: f32 };
struct Scene { frame: u32, count: u32, size: vec2<u32>, spheres: array<Sphere, 16> };

@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<storage, read_write> radiance: array<vec4<f32>>;

var<private> state: u32;

fn random() -> f32 {
    state = state * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return f32((word >> 22u) ^ word) / 4294967296.0;
}

fn hit(index: u32, origin: vec3<f32>, direction: vec3<f32>) -> f32 {
    let s = scene.spheres[index];
    let oc = origin - s.center;
    let b = dot(oc, direction);
    let h = b * b - dot(oc, oc) + s.radius * s.radius;
    if (h < 0.0) { return -1.0; }
    return -b - sqrt(h);
}

@compute @workgroup_size(8, 8)
fn trace(@builtin(global_invocation_id) id: vec3<u32>) {
    if (any(id.xy >= scene.size)) { return; }
    state = (id.y * scene.size.x + id.x) * 9781u + scene.frame * 6271u;
    var origin = vec3<f32>(0.0, 1.0, -6.0);
    var direction = normalize(vec3<f32>((vec2<f32>(id.xy) + vec2(random(), random())) / vec2<f32>(scene.size) - 0.5, 1.0));
    var through = vec3<f32>(1.0);
    var light = vec3<f32>();
    for (var bounce = 0; bounce < 4; bounce++) {
        var nearest = 1e9;
        var which = 0xffu;
        for (var i = 0u; i < scene.count; i++) {
            let t = hit(i, origin, direction);
            if (t > 1e-3 && t < nearest) { nearest = t; which = i; }
        }
        if (which == 0xffu) { light += through * 0.3; break; }
        let s = scene.spheres[which];
        light += through * s.emission;
        through *= s.albedo;
        origin += nearest * direction;
        let n = (origin - s.center) / s.radius;
        direction = normalize(n + vec3(random(), random(), random()) * 2.0 - 1.0);
    }
    let at = id.y * scene.size.x + id.x;
    radiance[at] = mix(radiance[at], vec4<f32>(light, 1.0), 1.0 / f32(scene.frame + 1u));
}
