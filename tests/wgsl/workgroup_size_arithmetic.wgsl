const BASE = 2;
const WIDTH = (BASE + 2) * BASE;          // 8
const HEIGHT = WIDTH / (5 - 1) % 3;       // 2
const DEPTH = ~(-3) & 0x3;                // 2
const MASK = (0xF0u >> 4u) | 1u;           // 15
const ODD = MASK ^ 0xEu;                  // 1
const LIMIT: u32 = max(u32(WIDTH), min(MASK, 64u));
override SCALE: i32 = abs(-BASE);
override ROWS: i32 = SCALE * 2;

@group(BASE - 2) @binding(WIDTH / HEIGHT) var<storage, read_write> cells: array<vec4<u32>>;
@group(ODD) @binding(MASK & 2u) var<uniform> stride: u32;
@group(1 << 1u) @binding((7)) var<storage> seeds: array<array<u32, LIMIT>, WIDTH*2>;

@compute @workgroup_size(WIDTH, HEIGHT, DEPTH)
fn fixed(@builtin(local_invocation_index) i: u32) { cells[i] = vec4(seeds[i % 16][0]); }

@compute @workgroup_size(ODD, u32(WIDTH) * 2u)
fn narrow(@builtin(local_invocation_index) i: u32) { cells[i * stride] = vec4(); }

@compute @workgroup_size(ROWS, SCALE, ROWS / SCALE)
fn overridden(@builtin(local_invocation_index) i: u32) { cells[i] += 1u; }
