//! The names of arguments beside those of bindings.

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
use steadfast_gpu::plan::{KernelOptions, KernelPlan, Limits, Shape, Slot, kernel, shape};

const KERNEL: &str = "
    @group(0) @binding(0) var<uniform> p: f32;
    @group(0) @binding(1) var<storage, read> x: array<f32>;
    @group(0) @binding(2) var<storage, read_write> y: array<f32>;
    @group(1) @binding(1) var<storage, read_write> spare: array<u32>;
    @group(1) @binding(2) var<storage, read> info: array<u32>;
    @compute @workgroup_size(64) fn add() { y[0] = x[0] * p; }
    @compute @workgroup_size(64) fn told() { spare[0] = info[0]; }
    @compute @workgroup_size(64) fn nothing() {}
";

fn entry(entry_point: &str) -> KernelPlan {
    let options = KernelOptions { entry_point: Some(entry_point.to_owned()), ..KernelOptions::default() };
    kernel(KERNEL, &options, &Limits::default()).unwrap()
}

fn shaped(kernel: &KernelPlan, names: &[&str]) -> Result<Shape, ComputeError> {
    shape(kernel, &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
}

#[test]
fn arguments_find_their_bindings_by_name() {
    let add = entry("add");
    assert_eq!(shaped(&add, &["y", "p", "x"]).unwrap().slots, [Slot::Bound(2), Slot::Bound(0), Slot::Bound(1)]);
    let with_unreached = shaped(&add, &["x", "spare", "y", "p"]).unwrap();
    assert!(matches!(with_unreached.slots[1], Slot::Unreached(_)));
    assert_eq!(shaped(&entry("nothing"), &[]).unwrap().slots, []);
}

#[test]
fn names_that_do_not_match_are_refused() {
    let add = entry("add");
    assert_refused(
        shaped(&add, &["x", "y"]),
        "1006 InvalidProgram binding-missing at dispatch",
        &[],
        "`add` needs `p`, which the call does not give.",
    );
    assert_refused(
        shaped(&add, &["x", "y", "p", "z"]),
        "1006 InvalidProgram binding-unknown at dispatch",
        &[],
        "`add` declares no binding named `z`; it has p, x, y, spare, info.",
    );
    let bare = kernel("@compute @workgroup_size(1) fn k() {}", &KernelOptions::default(), &Limits::default()).unwrap();
    assert_refused(
        shaped(&bare, &["z"]),
        "1006 InvalidProgram binding-unknown at dispatch",
        &[],
        "`k` declares no binding named `z`; it has none.",
    );
    assert_refused(
        shaped(&add, &["x", "y", "p", "x"]),
        "1006 InvalidProgram argument-invalid at dispatch",
        &[],
        "x must be given once, but is given twice.",
    );
    for (kernel, names) in [(&add, vec!["x", "y", "p", "info"]), (&entry("told"), vec!["spare"])] {
        assert_refused(
            shaped(kernel, &names),
            "1006 InvalidProgram name-reserved at dispatch",
            &[],
            &format!(
                "`info` of `{}` cannot be an argument: results carry the run's information under that name.",
                kernel.label
            ),
        );
    }
}
