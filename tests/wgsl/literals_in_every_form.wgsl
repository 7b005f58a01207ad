const DECIMAL = 12u;
const HEX = 0x10;
const HEX_UPPER = 0XAbu;
const SIGNED = -7i;
const FLOATS = vec4<f32>(1., .5, 0.25f, 1e-3);
const MORE = vec4<f32>(0x1p-2, 0x.8p0f, 0xA.8p+1, 1E+2);
const BIG = 4294967295u;
const LONG = array<f32, 3>(00.5, 1e+10f, 3f);
const SMALL = 1.5e-1;

@group(0) @binding(0) var<storage, read_write> sink: array<f32, DECIMAL * HEX>;

@compute @workgroup_size(HEX, DECIMAL / 6u)
fn write_all(@builtin(local_invocation_index) i: u32) {
    sink[i] = FLOATS[i & 3u] + MORE[(i >> 2u) & 3u] + LONG[i % 3u] + f32(SIGNED) + f32(BIG & 0xFFu) - SMALL
        + f32(HEX_UPPER) - -1.0 + f32(i) - f32(-0i) + 1e5 - 1.e0;
}
