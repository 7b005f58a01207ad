diagnostic(off, derivative_uniformity);
diagnostic(info, my_tool.my_rule,);
enable f16,;
requires packed_4x8_integer_dot_product, readonly_and_readwrite_storage_textures;
requires pointer_composite_access,;

;
@group(0) @binding(0) var<storage, read> a: array<u32>;;
@group(0) @binding(1) var<storage, read> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> dots: array<i32>;
const_assert(4u * 8u == 32u);

@must_use @diagnostic(off, derivative_uniformity)
fn dot4(a: u32, b: u32) -> i32 {
    return dot4I8Packed(a, b);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    const_assert 1 < 2;
    if id.x < arrayLength(&dots) {
        dots[id.x] = dot4(a[id.x], b[id.x]);
    }
};
