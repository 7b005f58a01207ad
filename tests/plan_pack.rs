//! The bytes of uniforms, and the values that are refused.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test panics as the test does"
)]

mod plan_refusal;

use plan_refusal::assert_refused;
use steadfast_gpu::ComputeError;
use steadfast_gpu::plan::{Binding, KernelOptions, Limits, Value, kernel, pack};

/// The uniform `v` of type `T`.
fn binding(types: &str) -> Binding {
    let wgsl = format!(
        "enable f16;\n{types}\n@group(0) @binding(0) var<uniform> v: T;\n\
         @compute @workgroup_size(1) fn main() {{ _ = &v; }}"
    );
    let limits = Limits { max_uniform_binding_bytes: u64::MAX, ..Limits::default() };
    let plan = kernel(&wgsl, &KernelOptions::default(), &limits).unwrap();
    plan.bindings[0].clone()
}

fn words(binding: &Binding, value: &Value) -> Vec<u32> {
    let bytes = pack(binding, value, "k").unwrap();
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn fields(fields: &[(&str, Value)]) -> Value {
    Value::Fields(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn numbers(numbers: &[f64]) -> Value {
    Value::Numbers(numbers.to_vec())
}

#[test]
fn columns_of_three_and_padded_elements_leave_gaps() {
    let matrix = binding("alias T = mat2x3f;");
    let [one, two, three, four, five, six] = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_bits);
    assert_eq!(words(&matrix, &numbers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])), [one, two, three, 0, four, five, six, 0]);

    let padded = binding("struct Wide { @size(16) x: u32 } alias T = array<Wide, 2>;");
    let element = |x: f64| fields(&[("x", Value::Number(x))]);
    assert_eq!(words(&padded, &fields(&[("1", element(8.0)), ("0", element(7.0))])), [7, 0, 0, 0, 8, 0, 0, 0]);

    let tight = binding("alias T = array<u32, 3>;");
    assert_eq!(words(&tight, &numbers(&[7.0, 8.0, 9.0])), [7, 8, 9]);

    let halves = binding("alias T = mat3x2<f16>;");
    assert_eq!(words(&halves, &numbers(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])), [0x4000_3c00, 0x4400_4200, 0x4600_4500]);
}

#[test]
fn an_align_counts_inside_nested_structures_too() {
    let nested = binding("struct Inner { a: u32, @align(32) b: u32 } struct T { x: u32, inner: Inner, y: u32 }");
    let inner = fields(&[("a", Value::Number(2.0)), ("b", Value::Number(3.0))]);
    let packed = words(&nested, &fields(&[("x", Value::Number(1.0)), ("inner", inner), ("y", Value::Number(4.0))]));
    let at: Vec<_> =
        packed.iter().enumerate().filter(|(_, word)| **word != 0).map(|(at, word)| (at * 4, *word)).collect();
    assert_eq!((at, packed.len() * 4), (vec![(0, 1), (32, 2), (64, 3), (96, 4)], 128));
}

#[test]
fn a_half_is_the_nearest_one_and_takes_a_whole_word_alone() {
    let half = binding("alias T = f16;");
    let rows = [
        (0.0, 0x0000),
        (-0.0, 0x8000),
        (1.0, 0x3c00),
        (-2.0, 0xc000),
        (0.1, 0x2e66),
        (65504.0, 0x7bff),
        (65519.9, 0x7bff),
        (65520.0, 0x7c00),
        (-1e9, 0xfc00),
        (f64::INFINITY, 0x7c00),
        // Ties go to the even neighbour, from above and from below.
        (2049.0, 0x6800),
        (2051.0, 0x6802),
        (2049.0000001, 0x6801),
        // The least normal, subnormals down to the least, and what rounds to it or to zero.
        (6.103515625e-5, 0x0400),
        (6.097555160522461e-5, 0x03ff),
        (5.960464477539063e-8, 0x0001),
        (2.9802322387695313e-8, 0x0000),
        (2.980232238769532e-8, 0x0001),
        (8.940696716308594e-8, 0x0002),
        (1e-30, 0x0000),
        // Would be 1.0 if it were rounded to f32 first.
        (1.0 + 4.8828125e-4 + 1e-12, 0x3c01),
    ];
    for (value, bits) in rows {
        assert_eq!(pack(&half, &Value::Number(value), "k").unwrap(), [bits as u8, (bits >> 8) as u8, 0, 0], "{value}");
    }
    let nan = pack(&half, &Value::Number(f64::NAN), "k").unwrap();
    assert!(nan[1] & 0x7c == 0x7c && (nan[0] != 0 || nan[1] & 3 != 0), "{nan:?}");
}

#[test]
fn bytes_are_taken_as_they_are() {
    let vector = binding("alias T = vec3<f16>;");
    assert_eq!(pack(&vector, &Value::Bytes(vec![1, 2, 3, 4, 5, 6]), "k").unwrap(), [1, 2, 3, 4, 5, 6, 0, 0]);
    assert_refused(
        pack(&vector, &Value::Bytes(vec![0; 8]), "k"),
        "1006 InvalidProgram length-mismatch at dispatch",
        &[("bytes", 8.0)],
        "`v` of `k` must be 6 bytes, but is 8 bytes.",
    );
}

#[test]
fn a_value_that_does_not_fit_is_refused_where_it_does_not() {
    let binding = binding(
        "struct Inner { scale: vec2<f32>, id: u32 } struct T { view: Inner, lights: array<Inner, 2>, m: mat2x2f, n: i32 }",
    );
    let inner = |id: f64| fields(&[("scale", numbers(&[1.0, 2.0])), ("id", Value::Number(id))]);
    let good = [
        ("view", inner(1.0)),
        ("lights", fields(&[("0", inner(2.0)), ("1", inner(3.0))])),
        ("m", numbers(&[1.0, 2.0, 3.0, 4.0])),
        ("n", Value::Number(-1.0)),
    ];
    let packed = |change: (&str, Value)| -> Result<Vec<u8>, ComputeError> {
        let mut all = good.to_vec();
        all.retain(|(name, _)| *name != change.0);
        all.push(change);
        pack(&binding, &fields(&all), "k")
    };
    assert!(pack(&binding, &fields(&good), "k").is_ok());
    let number = Value::Number(1.0);
    let argument = "1006 InvalidProgram argument-invalid at dispatch";
    let mismatch = "1006 InvalidProgram type-mismatch at dispatch";
    let length = "1006 InvalidProgram length-mismatch at dispatch";
    let whole = "a whole number from 0 to 4294967295";
    let only = |name: &str, value: Value| fields(&[(name, value)]);
    let rows = [
        (packed(("view", inner(-1.0))), argument, Some(-1.0), format!("v.view.id must be {whole}, but is -1.")),
        (packed(("view", inner(0.5))), argument, Some(0.5), format!("v.view.id must be {whole}, but is 0.5.")),
        (
            packed(("n", Value::Number(2147483648.0))),
            argument,
            Some(2147483648.0),
            "v.n must be a whole number from -2147483648 to 2147483647, but is 2147483648.".to_owned(),
        ),
        (
            packed(("view", only("id", number.clone()))),
            argument,
            None,
            "v.view.scale must be vec2<f32>, but is missing.".to_owned(),
        ),
        (
            packed(("extra", number.clone())),
            argument,
            None,
            "v.extra must be one of the fields view, lights, m, n, but is not a field of T.".to_owned(),
        ),
        (
            packed(("view", number.clone())),
            mismatch,
            None,
            "`v.view` of `k` is Inner in the WGSL, but the argument is a number.".to_owned(),
        ),
        (
            packed(("view", numbers(&[1.0, 2.0, 3.0]))),
            mismatch,
            None,
            "`v.view` of `k` is Inner in the WGSL, but the argument is a list of numbers.".to_owned(),
        ),
        (
            packed(("n", only("x", number.clone()))),
            mismatch,
            None,
            "`v.n` of `k` is i32 in the WGSL, but the argument is an object.".to_owned(),
        ),
        (
            packed(("m", numbers(&[1.0; 3]))),
            length,
            Some(3.0),
            "`v.m` of `k` must be 4 numbers (mat2x2<f32>), but is 3.".to_owned(),
        ),
        (
            packed(("lights", only("0", inner(1.0)))),
            length,
            Some(1.0),
            "`v.lights` of `k` must be 2 elements (array<Inner, 2>), but is 1.".to_owned(),
        ),
        (
            packed(("lights", fields(&[("0", inner(1.0)), ("2", inner(1.0))]))),
            argument,
            None,
            "v.lights.1 must be Inner, but is missing.".to_owned(),
        ),
        (
            packed(("lights", fields(&[("0", inner(1.0)), ("1", inner(1e10))]))),
            argument,
            Some(1e10),
            format!("v.lights.1.id must be {whole}, but is 10000000000."),
        ),
        (
            packed(("m", Value::Bytes(vec![0; 16]))),
            mismatch,
            None,
            "`v.m` of `k` is mat2x2<f32> in the WGSL, but the argument is bytes.".to_owned(),
        ),
    ];
    for (outcome, identity, got, message) in rows {
        let numbers: Vec<(&str, f64)> = got.map(|got| ("got", got)).into_iter().collect();
        assert_refused(outcome, identity, &numbers, &message);
    }
}

#[test]
fn a_type_too_large_for_the_page_is_refused() {
    let huge = binding("alias T = array<vec4f, 1152921504606846975>;");
    assert_refused(
        pack(&huge, &numbers(&[1.0]), "k"),
        "1001 DeviceOutOfMemory out-of-memory at dispatch",
        &[("bytes", huge.ty.size() as f64)],
        "There was not enough memory for `k`.",
    );
}
