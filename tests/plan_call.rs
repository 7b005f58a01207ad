//! The arguments of a call beside the bindings of its kernel.

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
use steadfast_gpu::plan::{
    BufferPlan, CallPlan, DType, Given, KernelOptions, KernelPlan, Limits, Place, Shape, Value, call, has_zero_length,
    kernel, shape, zero_length,
};

const KERNEL: &str = "
    struct Params { scale: f32, count: u32 }
    struct Header { total: u32, rows: array<vec2<f32>> }
    @group(0) @binding(0) var<uniform> p: Params;
    @group(0) @binding(1) var<storage, read> x: array<f32>;
    @group(0) @binding(2) var<storage, read_write> y: array<vec4<f32>>;
    @group(0) @binding(3) var<storage, read> table: array<i32, 16>;
    @group(0) @binding(4) var<storage, read_write> log: Header;
    @group(1) @binding(0) var<storage, read_write> halves: array<f16>;
    @group(1) @binding(1) var<storage, read_write> spare: array<u32>;
    @compute @workgroup_size(64) fn all() { _ = p.scale; _ = x[0]; y[0].x = 0; _ = table[0]; log.total = 1; halves[0] = 0h; }
    @compute @workgroup_size(64) fn add() { y[0].x = x[0] * p.scale; }
";

fn entry(entry_point: &str) -> KernelPlan {
    let options = KernelOptions { entry_point: Some(entry_point.to_owned()), ..KernelOptions::default() };
    kernel(&format!("enable f16; {KERNEL}"), &options, &Limits::default()).unwrap()
}

fn shaped(kernel: &KernelPlan, names: &[&str]) -> Result<Shape, ComputeError> {
    shape(kernel, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

/// A call of `kernel` with these arguments in this order.
fn called(kernel: &KernelPlan, place: Place, arguments: &[(&str, Given)]) -> Result<CallPlan, ComputeError> {
    let names: Vec<&str> = arguments.iter().map(|(name, _)| *name).collect();
    let given: Vec<Given> = arguments.iter().map(|(_, given)| given.clone()).collect();
    call(kernel, &shaped(kernel, &names)?, &given, place, &Limits::default())
}

fn array(dtype: DType, length: u64) -> Given {
    Given::Array { dtype, byte_len: length * dtype.bytes() }
}

fn inout(dtype: DType, length: u64) -> Given {
    Given::InOut { dtype, byte_len: length * dtype.bytes() }
}

fn out(dtype: DType, length: f64) -> Given {
    Given::Out { dtype, length }
}

fn buffer(id: u32, dtype: DType, length: u64) -> Given {
    part(id, dtype, 0, length)
}

fn part(id: u32, dtype: DType, byte_offset: u64, length: u64) -> Given {
    Given::Buffer { id, dtype, byte_offset, byte_len: length * dtype.bytes(), length }
}

fn params() -> Given {
    let fields = vec![("scale".to_owned(), Value::Number(2.0)), ("count".to_owned(), Value::Number(3.0))];
    Given::Uniform(Value::Fields(fields))
}

const MISMATCH: &str = "1006 InvalidProgram type-mismatch at dispatch";
const LENGTH: &str = "1006 InvalidProgram length-mismatch at dispatch";

#[test]
fn a_run_needs_buffers_for_its_arrays_and_outputs() {
    let add = entry("add");
    let arguments =
        [("y", out(DType::F32, 8.0)), ("x", array(DType::F32, 5)), ("p", params()), ("spare", array(DType::U32, 1))];
    let refused = called(&add, Place::Run, &arguments);
    assert!(refused.is_err(), "an array on a read_write binding, reached or not, has nowhere to go");
    let plan = called(&add, Place::Run, &arguments[..3]).unwrap();
    let planned = |dtype, length, byte_len| BufferPlan { dtype, length, byte_len, alloc_bytes: byte_len };
    assert_eq!(plan.out_bytes, [(0, planned(DType::F32, 8, 32))]);
    assert_eq!(plan.array_bytes, [(1, planned(DType::F32, 5, 20))]);
    assert_eq!(plan.uniforms, [(0, vec![0, 0, 0, 0x40, 3, 0, 0, 0])]);
    assert_eq!(plan.first_output_elements, Some(2), "elements are the WGSL array's: vec4");
}

#[test]
fn a_half_array_of_odd_length_is_padded_where_it_lies() {
    let wgsl = "enable f16; @group(0) @binding(0) var<storage, read_write> h: array<f16>;
        @compute @workgroup_size(1) fn k() { h[0] = 0h; }";
    let kernel = kernel(wgsl, &KernelOptions::default(), &Limits::default()).unwrap();
    let plan = called(&kernel, Place::Run, &[("h", inout(DType::F16, 65))]).unwrap();
    assert_eq!(plan.out_bytes, [(0, BufferPlan { dtype: DType::F16, length: 65, byte_len: 130, alloc_bytes: 132 })]);
    assert_eq!(plan.first_output_elements, Some(65));
}

#[test]
fn the_grid_follows_the_first_output() {
    let all = entry("all");
    let first = |place, arguments: &[(&str, Given)]| {
        let fixed = [("p", params()), ("table", array(DType::I32, 16))];
        called(&all, place, &[arguments, &fixed].concat()).unwrap().first_output_elements
    };
    let x = ("x", buffer(1, DType::F32, 9));
    let y = ("y", buffer(2, DType::Vec4f, 6));
    let log = ("log", buffer(3, DType::F32, 14));
    let halves = ("halves", buffer(4, DType::F16, 10));
    let resident = [x.clone(), halves.clone(), log.clone(), y.clone()];
    assert_eq!(first(Place::Resident, &resident), Some(6), "the first writable binding by group and binding");
    let outs = [x.clone(), y.clone(), ("halves", out(DType::F16, 12.0)), ("log", out(DType::F32, 14.0))];
    assert_eq!(first(Place::Run, &outs), Some(12), "the first out() in the order of the arguments");
    let outs = [x, y, ("log", inout(DType::F32, 14)), ("halves", out(DType::F16, 12.0))];
    assert_eq!(first(Place::Run, &outs), Some(6), "the rows of the array that a structure ends in");
}

#[test]
fn the_grid_of_fixed_and_of_no_outputs() {
    let plan = |declaration: &str, body: &str| {
        let wgsl = format!(
            "@group(0) @binding(0) var<storage, {declaration}; @compute @workgroup_size(1) fn k() {{ {body} }}"
        );
        kernel(&wgsl, &KernelOptions::default(), &Limits::default()).unwrap()
    };
    let elements =
        |kernel: &KernelPlan, given: Given| called(kernel, Place::Run, &[("a", given)]).unwrap().first_output_elements;
    assert_eq!(elements(&plan("read_write> a: array<f32, 8>", "a[0] = 0;"), out(DType::F32, 20.0)), Some(8));
    assert_eq!(elements(&plan("read_write> a: array<f32, 8>", "a[0] = 0;"), out(DType::F32, 0.0)), Some(0));
    assert_eq!(elements(&plan("read_write> a: vec4<u32>", "a.x = 0;"), out(DType::U32, 4.0)), Some(1));
    assert_eq!(elements(&plan("read_write> a: array<vec3<f32>>", "a[0].x = 0;"), out(DType::F32, 12.0)), Some(3));
    for length in [0, 1, 63, 64, 65, 65_536 * 64] {
        let runtime = plan("read_write> a: array<u32>", "a[0] = 0;");
        assert_eq!(elements(&runtime, inout(DType::U32, length)), Some(length));
    }
    assert_eq!(elements(&plan("read> a: array<f32>", "_ = a[0];"), array(DType::F32, 4)), None);
}

#[test]
fn an_argument_of_the_wrong_kind_is_refused() {
    let add = entry("add");
    let good = [("x", array(DType::F32, 4)), ("y", out(DType::F32, 4.0)), ("p", params())];
    let swapped = |name: &str, given: Given, place| {
        let mut arguments = good.to_vec();
        arguments.iter_mut().filter(|(known, _)| *known == name).for_each(|argument| argument.1 = given.clone());
        called(&add, place, &arguments)
    };
    assert!(swapped("x", array(DType::Vec2f, 2), Place::Run).is_ok(), "vectors of the same scalar fit");
    let number = || Given::Uniform(Value::Number(1.0));
    let rows = [
        (swapped("x", array(DType::I32, 4), Place::Run), "x", "array<f32>", "i32 data"),
        (swapped("x", buffer(1, DType::F16, 4), Place::Run), "x", "array<f32>", "f16 data"),
        (swapped("x", number(), Place::Run), "x", "array<f32>", "a number"),
        (swapped("x", Given::Uniform(Value::Numbers(vec![1.0])), Place::Run), "x", "array<f32>", "a list of numbers"),
        (swapped("x", params(), Place::Run), "x", "array<f32>", "an object"),
        (swapped("x", out(DType::F32, 4.0), Place::Run), "x", "read-only array<f32>", "an out()"),
        (swapped("x", inout(DType::F32, 4), Place::Run), "x", "read-only array<f32>", "an inout()"),
        (swapped("p", array(DType::F32, 2), Place::Run), "p", "a uniform (Params)", "an array"),
        (swapped("p", buffer(1, DType::F32, 2), Place::Run), "p", "a uniform (Params)", "a buffer"),
        (swapped("p", out(DType::F32, 2.0), Place::Run), "p", "a uniform (Params)", "an out()"),
        (swapped("p", number(), Place::Run), "p", "Params", "a number"),
    ];
    for (outcome, name, expected, got) in rows {
        let message = format!("`{name}` of `add` is {expected} in the WGSL, but the argument is {got}.");
        assert_refused(outcome, MISMATCH, &[], &message);
    }
}

#[test]
fn a_result_without_a_place_is_refused() {
    let add = entry("add");
    let placed =
        |given: Given, place| called(&add, place, &[("x", array(DType::F32, 4)), ("y", given), ("p", params())]);
    let rows = [
        (placed(out(DType::F32, 4.0), Place::Resident), "an out()"),
        (placed(inout(DType::F32, 4), Place::Resident), "an inout()"),
        (placed(array(DType::F32, 4), Place::Resident), "an array"),
        (placed(array(DType::F32, 4), Place::Run), "an array"),
    ];
    for (outcome, got) in rows {
        assert_refused(
            outcome,
            "1006 InvalidProgram nowhere-to-put at dispatch",
            &[],
            &format!("`y` of `add` is {got}, and this call has nowhere to put its result."),
        );
    }
    assert!(placed(buffer(1, DType::F32, 4), Place::Resident).is_ok());
}

#[test]
fn a_length_that_does_not_fit_its_binding_is_refused() {
    let all = entry("all");
    let good = [
        ("x", array(DType::F32, 4)),
        ("y", out(DType::F32, 4.0)),
        ("p", params()),
        ("table", array(DType::I32, 16)),
        ("log", out(DType::F32, 4.0)),
        ("halves", out(DType::F16, 4.0)),
    ];
    let with = |name: &str, given: Given, place| {
        let mut arguments = good.to_vec();
        arguments.iter_mut().filter(|(known, _)| *known == name).for_each(|argument| argument.1 = given.clone());
        called(&all, place, &arguments)
    };
    let bytes = |dtype, byte_len| Given::Array { dtype, byte_len };
    let rows = [
        (
            with("x", bytes(DType::F32, 6), Place::Run),
            6,
            "`x` of `all` must be a multiple of 4 bytes long (array<f32>), but is 6 bytes.",
        ),
        (
            with("table", array(DType::I32, 15), Place::Run),
            60,
            "`table` of `all` must be at least 64 bytes long (array<i32, 16>), but is 60 bytes.",
        ),
        (
            with("y", out(DType::F32, 6.0), Place::Run),
            24,
            "`y` of `all` must be a multiple of 16 bytes long (array<vec4<f32>>), but is 24 bytes.",
        ),
        (
            with("y", out(DType::F32, 3.0), Place::Run),
            12,
            "`y` of `all` must be at least 16 bytes long (array<vec4<f32>>), but is 12 bytes.",
        ),
        (
            with("log", out(DType::F32, 3.0), Place::Run),
            12,
            "`log` of `all` must be at least 16 bytes long (Header), but is 12 bytes.",
        ),
        (
            with("log", out(DType::F32, 5.0), Place::Run),
            20,
            "`log` of `all` must be 8 and a multiple of 8 bytes long (Header), but is 20 bytes.",
        ),
        (
            with("x", bytes(DType::Vec4f, 24), Place::Run),
            24,
            "`x` of `all` must be a multiple of 16 bytes long (array<f32>), but is 24 bytes.",
        ),
    ];
    for (outcome, got, message) in rows {
        assert_refused(outcome, LENGTH, &[("bytes", f64::from(got))], message);
    }
    assert!(with("table", array(DType::I32, 17), Place::Run).is_ok(), "more than a fixed array is fine");
    let argument = "1006 InvalidProgram argument-invalid at upload";
    assert_refused(
        with("y", out(DType::F32, -1.0), Place::Run),
        argument,
        &[("got", -1.0)],
        "length must be a whole number of at least 0, but is -1.",
    );
}

#[test]
fn nothing_at_all_runs_only_in_an_empty_grid() {
    let add = entry("add");
    let arguments = |x: Given, y: Given| [("x", x), ("y", y), ("p", params())];
    let empty = arguments(array(DType::F32, 0), out(DType::F32, 0.0));
    let plan = called(&add, Place::Run, &empty).unwrap();
    assert_eq!(plan.first_output_elements, Some(0));

    let shape = shaped(&add, &["x", "y", "p"]).unwrap();
    let given: Vec<Given> = empty.iter().map(|(_, given)| given.clone()).collect();
    assert_eq!(has_zero_length(&add, &shape, &given), Some(0));
    assert_refused(
        Err::<(), _>(zero_length(&add, &shape, 1)),
        LENGTH,
        &[],
        "`y` of `add` must be at least one element long, because the grid is not empty, but is empty.",
    );
    let full = [array(DType::F32, 1), out(DType::F32, 4.0), params()];
    assert_eq!(has_zero_length(&add, &shape, &full), None);

    let resident = arguments(buffer(1, DType::F32, 0), buffer(2, DType::F32, 4));
    assert_refused(
        called(&add, Place::Resident, &resident),
        LENGTH,
        &[("bytes", 0.0)],
        "`x` of `add` must be at least 4 bytes long (array<f32>), but is 0 bytes.",
    );
}

#[test]
fn a_binding_past_the_device_s_limit_is_refused() {
    let add = entry("add");
    let x = buffer(1, DType::F32, 33_554_433);
    assert_refused(
        called(&add, Place::Resident, &[("x", x), ("y", buffer(2, DType::F32, 4)), ("p", params())]),
        "1006 InvalidProgram limit-exceeded at dispatch",
        &[("requested", 134_217_732.0), ("allowed", 134_217_728.0)],
        "`add:x` asks for 134217732, but maxStorageBufferBindingSize allows 134217728.",
    );
    assert_refused(
        called(
            &add,
            Place::Run,
            &[("x", array(DType::F32, 4)), ("y", out(DType::Vec4f, 16_777_217.0)), ("p", params())],
        ),
        "1006 InvalidProgram limit-exceeded at upload",
        &[("requested", 268_435_472.0), ("allowed", 268_435_456.0)],
        "`add:y` asks for 268435472, but maxBufferSize allows 268435456.",
    );
}

#[test]
fn one_buffer_in_two_bindings_is_refused_where_webgpu_would() {
    let wgsl = "
        @group(0) @binding(0) var<storage, read> a: array<u32>;
        @group(0) @binding(1) var<storage, read> b: array<u32>;
        @group(0) @binding(2) var<storage, read_write> c: array<u32>;
        @group(0) @binding(3) var<storage, read_write> d: array<u32>;
        @compute @workgroup_size(1) fn k() { c[0] = a[0] + b[0]; d[0] = 0; }";
    let kernel = kernel(wgsl, &KernelOptions::default(), &Limits::default()).unwrap();
    let bound = |places: [(u32, u64); 4]| {
        let given = places.map(|(id, byte_offset)| part(id, DType::U32, byte_offset, 64));
        let arguments: Vec<(&str, Given)> = ["a", "b", "c", "d"].into_iter().zip(given).collect();
        called(&kernel, Place::Resident, &arguments)
    };
    assert!(bound([(1, 0), (1, 0), (2, 0), (3, 0)]).is_ok(), "two reads");
    assert!(bound([(1, 0), (2, 0), (3, 0), (3, 256)]).is_ok(), "two writes side by side");
    let refused = |places, name: &str, other: &str| {
        assert_refused(
            bound(places),
            "1006 InvalidProgram aliased at dispatch",
            &[],
            &format!("`{name}` and `{other}` of `k` are in the same buffer, and one of them is written."),
        );
    };
    refused([(1, 0), (2, 0), (3, 0), (3, 0)], "c", "d");
    refused([(1, 0), (2, 0), (3, 256), (3, 508)], "c", "d");
    refused([(1, 0), (2, 0), (1, 0), (3, 0)], "a", "c");
    refused([(1, 0), (2, 0), (3, 0), (2, 4096)], "b", "d");
}
