struct Boid { pos: vec2f, vel: vec2f }

struct Rules {
  deltaT: f32,
  rule1Distance: f32, rule2Distance: f32, rule3Distance: f32,
  rule1Scale: f32, rule2Scale: f32, rule3Scale: f32,
}

@group(0) @binding(0) var<uniform> rules: Rules;
@group(0) @binding(1) var<storage, read> boidsIn: array<Boid>;
@group(0) @binding(2) var<storage, read_write> boidsOut: array<Boid>;

@compute @workgroup_size(64)
fn flock(@builtin(global_invocation_id) gid: vec3u) {
  let index = gid.x;
  let count = arrayLength(&boidsIn);
  if index >= count { return; }
  let me = boidsIn[index];
  var center = vec2f(); var avoid = vec2f(); var velocity = vec2f();
  var near = 0; var seen = 0;
  for (var i = 0u; i < count; i++) {
    if i == index { continue; }
    let other = boidsIn[i];
    let d = distance(other.pos, me.pos);
    if d < rules.rule1Distance { center += other.pos; near++; }
    if d < rules.rule2Distance { avoid -= other.pos - me.pos; }
    if d < rules.rule3Distance { velocity += other.vel; seen++; }
  }
  if near > 0 { center = center / f32(near) - me.pos; }
  if seen > 0 { velocity /= f32(seen); }
  var v = me.vel + center * rules.rule1Scale + avoid * rules.rule2Scale + velocity * rules.rule3Scale;
  v = normalize(v) * clamp(length(v), 0.0, 0.1);
  boidsOut[index] = Boid(fract(me.pos + v * rules.deltaT + 1), v);
}
