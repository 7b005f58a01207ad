// WGSL does not care about order: everything is used before it is declared.
@compute @workgroup_size(LANES) fn main(@builtin(global_invocation_id) id: Index) { step(id.x); }
fn step(i: u32) { if i < length() { values[i] = rule(values[i], settings); } }
fn rule(v: Value, s: Settings) -> Value { return v * s.factor + s.term; }
fn length() -> u32 { return arrayLength(&values); }
@group(0) @binding(0) var<storage, read_write> values: Values;
@group(0) @binding(1) var<uniform> settings: Settings;
alias Values = array<Value>;
struct Settings { factor: Value, term: Value }
alias Value = Scalar;
alias Scalar = f32;
alias Index = vec3<u32>;
const LANES = QUARTER * 4;
const QUARTER = 16;
