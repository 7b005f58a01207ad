struct Camera {
    eye: vec3f,
    fov: f32,
    forward: vec3f,
    width: u32,
    up: vec3f,
    height: u32,
}
@group(0) @binding(0) var<uniform> camera: Camera;
@group(0) @binding(1) var<storage, read_write> image: array<vec4f>;

const MAX_STEPS: i32 = 96;
const FAR = 40.0;
const EPSILON = 1e-3;

fn sphere(p: vec3f, r: f32) -> f32 { return length(p) - r; }
fn box(p: vec3f, b: vec3f) -> f32 {
    let q = abs(p) - b;
    return length(max(q, vec3f())) + min(max(q.x, max(q.y, q.z)), 0.0);
}
fn smooth_min(a: f32, b: f32, k: f32) -> f32 {
    let h = saturate(0.5 + 0.5 * (b - a) / k);
    return mix(b, a, h) - k * h * (1.0 - h);
}
fn scene(p: vec3f) -> f32 {
    return min(smooth_min(sphere(p - vec3f(0, 1, 0), 1.0), box(p - vec3f(1.2, .5, 0), vec3f(.5)), .4), p.y);
}
fn normal_at(p: vec3f) -> vec3f {
    const e = vec2f(1.0, -1.0) * 5e-4;
    return normalize(e.xyy * scene(p + e.xyy) + e.yyx * scene(p + e.yyx) + e.yxy * scene(p + e.yxy) + e.xxx * scene(p + e.xxx));
}

@compute @workgroup_size(8, 8)
fn render(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= camera.width || id.y >= camera.height { return; }
    let size = vec2f(f32(camera.width), f32(camera.height));
    let uv = (2.0 * vec2f(id.xy) - size) / size.y;
    let right = normalize(cross(camera.forward, camera.up));
    let ray = normalize(camera.forward + camera.fov * (uv.x * right - uv.y * camera.up));
    var t = 0.0;
    var color = vec3f(0.1, 0.2, 0.4);
    for (var i = 0; i < MAX_STEPS && t < FAR; i++) {
        let d = scene(camera.eye + t * ray);
        if d < EPSILON {
            let n = normal_at(camera.eye + t * ray);
            color = vec3f(max(dot(n, normalize(vec3f(1, 2, -1))), 0.05));
            break;
        }
        t += d;
    }
    image[id.y * camera.width + id.x] = vec4f(pow(color, vec3f(1 / 2.2)), 1.0);
}
