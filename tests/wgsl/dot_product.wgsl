@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> dots: array<f32>;
var<workgroup> w: array<f32, 256>;
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) g: vec3<u32>, @builtin(local_invocation_id) l: vec3<u32>, @builtin(workgroup_id) k: vec3<u32>) {
var s: f32 = 0.0; if (g.x < arrayLength(&a)) { s = dot(a[g.x], b[g.x]); } w[l.x] = s; workgroupBarrier();
for (var i: u32 = 128u; i > 0u; i = i / 2u) { if (l.x < i) { w[l.x] = w[l.x] + w[l.x + i]; } workgroupBarrier(); }
if (l.x == 0u) { dots[k.x] = w[0]; } }
