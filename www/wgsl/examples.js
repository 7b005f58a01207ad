// Programs for the box: some right, some wrong on purpose. `values` are the texts of the argument fields by WGSL name.

const squareRoots = `@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x;
    if (i >= arrayLength(&y)) { return; }
    y[i] = sqrt(x[i]);
}`;

const line = `struct Line { slope: f32, offset: f32 }

@group(0) @binding(0) var<uniform> line: Line;
@group(0) @binding(1) var<storage, read_write> x: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= arrayLength(&x)) { return; }
    x[id.x] = line.slope * x[id.x] + line.offset;
}`;

const dice = `@group(0) @binding(0) var<storage, read> rolls: array<u32>;
@group(0) @binding(1) var<storage, read_write> seen: array<atomic<u32>>;

// How often each face was rolled.
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if (id.x >= arrayLength(&rolls)) { return; }
    atomicAdd(&seen[rolls[id.x] - 1], 1);
}`;

export const examples = [
  {
    group: "Right",
    title: "Square roots",
    wgsl: squareRoots,
    values: { x: "1, 2, 4, 9, 16", y: "5" },
  },
  {
    group: "Right",
    title: "A line, with a struct as uniform",
    wgsl: line,
    values: { line: '{ "slope": 2, "offset": 0.5 }', x: "0..15" },
    inPlace: ["x"],
  },
  {
    group: "Right",
    title: "Dice, counted with atomics",
    wgsl: dice,
    values: { rolls: "6, 1, 4, 4, 2, 6, 3, 6, 5, 1, 4, 6", seen: "6" },
    workgroups: "1",
  },
  {
    group: "Wrong on purpose",
    title: "A misspelt name",
    wgsl: squareRoots.replace("sqrt(x[i])", "sqrt(x[j])"),
    values: { x: "1, 2, 4, 9, 16", y: "5" },
  },
  {
    group: "Wrong on purpose",
    title: "A type that does not fit",
    wgsl: squareRoots.replace("let i = id.x", "let i: i32 = id.x"),
    values: { x: "1, 2, 4, 9, 16", y: "5" },
  },
  {
    group: "Wrong on purpose",
    title: "An argument left out",
    wgsl: squareRoots,
    values: { x: "", y: "5" },
  },
  {
    group: "Wrong on purpose",
    title: "Fractions for an array of u32",
    wgsl: dice,
    values: { rolls: "6, 1.5, 4", seen: "6" },
    workgroups: "1",
  },
  {
    group: "Wrong on purpose",
    title: "More workgroups than the device takes",
    wgsl: squareRoots,
    values: { x: "1, 2, 4, 9, 16", y: "5" },
    workgroups: "70000",
  },
  {
    group: "Wrong on purpose",
    title: "An output larger than any buffer",
    wgsl: squareRoots,
    values: { x: "1, 2, 4, 9, 16", y: "4000000000" },
  },
];
