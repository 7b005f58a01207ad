//! What the reader of WGSL cannot decide, it says with the line.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, reason = "a helper of a test panics as the test does")]

mod plan_refusal;

use plan_refusal::assert_refused;
use steadfast_gpu::ComputeError;
use steadfast_gpu::plan::{KernelOptions, KernelPlan, Limits, kernel};

fn plan(wgsl: &str) -> Result<KernelPlan, ComputeError> {
    kernel(wgsl, &KernelOptions::default(), &Limits::default())
}

#[test]
fn what_the_reader_cannot_decide_is_said_with_its_line() {
    let main = "@compute @workgroup_size(1) fn main() { _ = a; }";
    let declared = |declaration: &str| plan(&format!("// one\n{declaration}\n{main}"));
    let sized = |size: &str| plan(&format!("const a = 1;\n@compute\n@workgroup_size({size}) fn main() {{}}"));
    let buffer = |ty: &str| declared(&format!("@group(0) @binding(0) var<storage> a: {ty};"));
    let rows = [
        (sized("b"), 3, "`b` is not an integer the reader can work out"),
        (sized("a + f(1)"), 3, "`f` is not an integer the reader can work out"),
        (sized("sqrt(64.0)"), 3, "`64.0` is not an integer"),
        (sized("1.5"), 3, "`1.5` is not an integer"),
        (sized("0"), 3, "@workgroup_size takes one to three positive integers"),
        (sized("1 - 2"), 3, "@workgroup_size takes one to three positive integers"),
        (sized(""), 3, "@workgroup_size takes one to three positive integers"),
        (sized("1, 1, 1, 1"), 3, "expected `)`, found `1`"),
        (sized("8 / 0"), 3, "this has no value in its integer type"),
        (sized("2u - 3u"), 3, "this has no value in its integer type"),
        (sized("1i << 31u"), 3, "this has no value in its integer type"),
        (sized("-1u"), 3, "this has no value in its integer type"),
        (sized("1u + 1i"), 3, "this has no value in its integer type"),
        (sized("a a"), 3, "expected `,`, found `a`"),
        (sized("(a 1)"), 3, "expected `)`, found `1`"),
        (sized("a >= 1"), 3, "expected `,`, found `>`"),
        (plan("@compute fn main() {}"), 1, "a compute entry point needs @workgroup_size"),
        (declared("@binding(0) var<storage> a: u32;"), 2, "a buffer variable needs @group and @binding"),
        (declared("@group(-1) @binding(0) var<storage> a: u32;"), 2, "@group and @binding take a number of at least 0"),
        (declared("@group(0) @binding() var<storage> a: u32;"), 2, "expected an integer, found `)`"),
        (declared("@group(0) @binding(0) var<storage, write> a: u32;"), 2, "this access mode is not for a buffer"),
        (declared("@group(0) @binding(0) var<uniform, read_write> a: u32;"), 2, "this access mode is not for a buffer"),
        (declared("@group(0) @binding(0) var<storage> a = 1;"), 2, "a buffer variable needs a type"),
        (buffer("vec5f"), 2, "`vec5f` is not a type the reader knows the layout of"),
        (buffer("mat2x2u"), 2, "`mat2x2u` is not a type the reader knows the layout of"),
        (buffer("ptr<function, f32>"), 2, "`ptr` is not a type the reader knows the layout of"),
        (buffer("main"), 2, "`main` is not a type the reader knows the layout of"),
        (buffer("array"), 2, "expected `<`, found `;`"),
        (buffer("array<f32, 0>"), 2, "an array needs a positive length"),
        (buffer("array<f32, 2 - 3>"), 2, "an array needs a positive length"),
        (buffer("vec2<array<f32, 2>>"), 2, "expected a scalar type, found `array`"),
        (buffer("array<f32, 4"), 2, "expected `>`, found `;`"),
        (buffer("array<f32, 4> >"), 2, "expected `;`, found `>`"),
        (
            declared("struct S { x: f32 y: f32 }\n@group(0) @binding(0) var<storage> a: S;"),
            2,
            "expected `,`, found `y`",
        ),
        (
            declared("struct S { @align(3) x: f32 }\n@group(0) @binding(0) var<storage> a: S;"),
            2,
            "an alignment is a power of two",
        ),
        (
            declared("struct S { @size(-4) x: f32 }\n@group(0) @binding(0) var<storage> a: S;"),
            2,
            "this needs a number of bytes",
        ),
        (
            declared("struct S { x: S }\n@group(0) @binding(0) var<storage> a: S;"),
            2,
            "this is nested too deeply or refers to itself",
        ),
        (
            declared("alias A = B; alias B = A;\n@group(0) @binding(0) var<storage> a: A;"),
            2,
            "this is nested too deeply or refers to itself",
        ),
        (
            declared("const x = y; const y = x;\n@group(x) @binding(0) var<storage> a: u32;"),
            2,
            "this is nested too deeply or refers to itself",
        ),
        (plan(&format!("{main} /* open\n/* nested */")), 1, "a block comment has no end"),
        (plan("fn main() {\n\n"), 1, "`{` is not closed"),
        (plan("\nfn main( {}"), 2, "`(` is not closed"),
        (plan("\nfunction main() {}"), 2, "expected a declaration, found `function`"),
        (plan("// \u{2028}let x = 1;"), 2, "expected a declaration, found `let`"),
        (plan(&format!("const c: u32;\n@group(c) @binding(0) var<storage> a: u32; {main}")), 2, "`c` has no value"),
        (plan("const = 1;"), 1, "expected a name, found `=`"),
        (plan("override x"), 1, "expected `;`, found `the end`"),
        (plan("@ compute fn main"), 1, "expected `(`, found `the end`"),
        (plan("@"), 1, "expected the name of an attribute, found `the end`"),
    ];
    for (outcome, line, problem) in rows {
        // Before there is an entry point, there is no name.
        let is_nameless = outcome.as_ref().is_err_and(|error| error.to_string().starts_with("`kernel`"));
        let label = if is_nameless { "kernel" } else { "main" };
        assert_refused(
            outcome,
            "1006 InvalidProgram undecided at compile",
            &[("line", f64::from(line))],
            &format!("`{label}`: line {line}: {problem}."),
        );
    }
}
