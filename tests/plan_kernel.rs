//! What is known of a kernel from its text, and what is refused before the browser sees it.

#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a helper of a test panics as the test does")]

mod plan_refusal;

use plan_refusal::assert_refused;
use steadfast_gpu::ComputeError;
use steadfast_gpu::plan::{Access, KernelOptions, KernelPlan, Limits, Scalar, Space, kernel};

fn plan(wgsl: &str) -> Result<KernelPlan, ComputeError> {
    kernel(wgsl, &KernelOptions::default(), &Limits::default())
}

/// A kernel whose module has these declarations and whose body is this.
fn with(declarations: &str, body: &str) -> Result<KernelPlan, ComputeError> {
    plan(&format!("{declarations}\n@compute @workgroup_size(64)\nfn main() {{ {body} }}"))
}

fn with_constants(wgsl: &str, constants: &[(&str, f64)]) -> Result<KernelPlan, ComputeError> {
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    kernel(wgsl, &KernelOptions { constants, ..KernelOptions::default() }, &Limits::default())
}

const OVERRIDES: &str = "
    @id(7) override width: u32 = 8;
    override height = 4;
    override gain: f32 = 1.5;
    override fast = true;
    override bare: i32;
    @compute @workgroup_size(width, height) fn main() { let x = gain; let y = fast; }
    @compute @workgroup_size(1) fn needy() { let x = bare; }
";

fn overridden(constants: &[(&str, f64)]) -> Result<KernelPlan, ComputeError> {
    let constants = constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
    let options = KernelOptions { entry_point: Some("main".to_owned()), constants, label: None };
    kernel(OVERRIDES, &options, &Limits::default())
}

#[test]
fn a_plan_says_what_the_text_declares() {
    let wgsl = "
        enable f16, subgroups;
        struct Params { scale: vec2<f32>, offset: u32 }
        @group(1) @binding(2) var<uniform> params: Params;
        @group(0) @binding(5) var<storage, read_write> y: array<vec4<f16>>;
        @group(0) @binding(1) var<storage, read> x: array<f32, 12>;
        @group(0) @binding(0) var<storage> unused: atomic<u32>;
        @compute @workgroup_size(4, 2) fn twist(@builtin(num_workgroups) n: vec3u) { y[0] = f16(x[0] * params.scale.x); }
    ";
    let plan = plan(wgsl).unwrap();
    assert_eq!((plan.label.as_str(), plan.entry_point.as_str()), ("twist", "twist"));
    assert_eq!((plan.workgroup_size, plan.uses_num_workgroups), ([4, 2, 1], true));
    assert_eq!(plan.enables, ["f16", "subgroups"]);
    let known: Vec<_> = plan
        .bindings
        .iter()
        .map(|one| (one.name.as_str(), one.space, one.access, one.type_text(), one.scalar(), one.min_bytes()))
        .collect();
    assert_eq!(
        known,
        [
            ("x", Space::Storage, Access::Read, "array<f32, 12>".to_owned(), Some(Scalar::F32), 48),
            ("y", Space::Storage, Access::ReadWrite, "array<vec4<f16>>".to_owned(), Some(Scalar::F16), 8),
            ("params", Space::Uniform, Access::Read, "Params".to_owned(), None, 16),
        ]
    );
    let strides: Vec<_> = plan.bindings.iter().map(|binding| binding.element_stride()).collect();
    assert_eq!(strides, [Some(4), Some(8), None]);
    let unreached: Vec<_> = plan.unreached.iter().map(|one| (one.name.as_str(), one.type_text())).collect();
    assert_eq!(unreached, [("unused", "atomic<u32>".to_owned())]);
}

#[test]
fn a_kernel_is_named_by_its_label_or_its_entry_point() {
    let labelled = |label: &str| {
        let options = KernelOptions { label: Some(label.to_owned()), ..KernelOptions::default() };
        kernel("@compute @workgroup_size(1) fn go() {}", &options, &Limits::default()).unwrap().label
    };
    assert_eq!(labelled("blur"), "blur");
    assert_eq!(labelled(""), "go");
}

#[test]
fn an_entry_point_must_be_clear() {
    let two = "@compute @workgroup_size(1) fn first() {} @compute @workgroup_size(2) fn second() {} @vertex fn v() {}";
    let named = |name: &str| {
        kernel(
            two,
            &KernelOptions { entry_point: Some(name.to_owned()), ..KernelOptions::default() },
            &Limits::default(),
        )
    };
    assert_eq!(named("second").unwrap().workgroup_size, [2, 1, 1]);
    let identity = "1004 KernelCompileFailed entry-point at compile";
    let refused = |outcome, found: &str, wanted: &str| {
        let text = format!("`kernel` has no single compute entry point to run: it has {found}, wanted is {wanted}.");
        assert_refused::<KernelPlan>(outcome, identity, &[], &text);
    };
    refused(plan(two), "first, second", "exactly one, or a name");
    refused(named("v"), "first, second", "v");
    refused(plan("fn main() {}"), "none", "exactly one, or a name");
    refused(plan(""), "none", "exactly one, or a name");
}

#[test]
fn constants_are_given_by_name_or_id() {
    assert_eq!(overridden(&[]).unwrap().workgroup_size, [8, 4, 1]);
    let given = overridden(&[("7", 16.0), ("height", 2.0), ("gain", -0.5), ("fast", 0.0), ("bare", -3.0)]).unwrap();
    assert_eq!(given.workgroup_size, [16, 2, 1]);
    let keys: Vec<_> = given.constants.iter().map(|(key, value)| (key.as_str(), *value)).collect();
    assert_eq!(keys, [("7", 16.0), ("height", 2.0), ("gain", -0.5), ("fast", 0.0), ("bare", -3.0)]);
    let by_name = overridden(&[("width", 16.0)]).unwrap().constants;
    assert_eq!(by_name, [("7".to_owned(), 16.0)], "WebGPU knows a constant with an @id by that alone");
}

#[test]
fn a_constant_that_does_not_fit_is_refused() {
    let identity = "1004 KernelCompileFailed constant at compile";
    let refused = |outcome, problem: &str| {
        assert_refused::<KernelPlan>(outcome, identity, &[], &format!("`main`: the constant {problem}."));
    };
    refused(overridden(&[("depth", 1.0)]), "`depth` is not an override of this kernel");
    refused(overridden(&[("main", 1.0)]), "`main` is not an override of this kernel");
    refused(overridden(&[("width", 8.0), ("7", 8.0)]), "`7` is given twice, by name and by @id");
    let needy = KernelOptions { entry_point: Some("needy".to_owned()), ..KernelOptions::default() };
    assert_refused(
        kernel(OVERRIDES, &needy, &Limits::default()),
        identity,
        &[],
        "`needy`: the constant `bare` has neither a default nor a value.",
    );
    assert_refused(
        plan("override n: u32; @compute @workgroup_size(n) fn main() {}"),
        identity,
        &[],
        "`main`: the constant `n` has neither a default nor a value.",
    );
}

#[test]
fn a_constant_must_be_a_value_of_its_type() {
    let compared = "override less = 1 < 2; @compute @workgroup_size(1) fn main() { let x = less; }";
    assert!(with_constants(compared, &[("less", 0.5)]).is_ok(), "a truth value, though it begins like an integer");
    let halves = "enable f16; override half: f16 = 1h; @compute @workgroup_size(1) fn main() { let x = half; }";
    let whole_u32 = "a whole number from 0 to 4294967295";
    let whole_i32 = "a whole number from -2147483648 to 2147483647";
    let rows = [
        (overridden(&[("width", -1.0)]), "width", whole_u32, -1.0, "-1"),
        (overridden(&[("width", 1.5)]), "width", whole_u32, 1.5, "1.5"),
        (overridden(&[("7", 4294967296.0)]), "7", whole_u32, 4294967296.0, "4294967296"),
        (overridden(&[("height", 2147483648.0)]), "height", whole_i32, 2147483648.0, "2147483648"),
        (overridden(&[("gain", 1e39)]), "gain", "a number that f32 can hold", 1e39, &format!("{}", 1e39)),
        (overridden(&[("gain", f64::INFINITY)]), "gain", "a number that f32 can hold", f64::INFINITY, "inf"),
        (with_constants(halves, &[("half", 65520.0)]), "half", "a number that f16 can hold", 65520.0, "65520"),
        (overridden(&[("fast", f64::NEG_INFINITY)]), "fast", "finite", f64::NEG_INFINITY, "-inf"),
    ];
    for (outcome, name, expected, got, got_text) in rows {
        assert_refused(
            outcome,
            "1004 KernelCompileFailed constant-range at compile",
            &[("got", got)],
            &format!("`main`: the constant `{name}` must be {expected}, but is {got_text}."),
        );
    }
    assert!(overridden(&[("width", 4294967295.0)]).is_err(), "past the limit of a workgroup, not of u32");
    assert!(with_constants(halves, &[("half", 65504.0)]).is_ok());
    assert!(overridden(&[("height", 2.0), ("fast", 1.0), ("gain", -3.4e38)]).is_ok());
}

#[test]
fn a_limit_passed_is_refused_with_both_numbers() {
    let limits = Limits { max_storage_buffers: 2, max_uniform_buffers: 1, ..Limits::default() };
    let plan = |wgsl: &str| kernel(wgsl, &KernelOptions::default(), &limits);
    let sized = |size: &str| plan(&format!("@compute @workgroup_size({size}) fn main() {{}}"));
    let with = |declarations: &str, body: &str| {
        plan(&format!("{declarations} @compute @workgroup_size(1) fn main() {{ {body} }}"))
    };
    let storage = "@group(0) @binding(0) var<storage> a: u32; @group(0) @binding(1) var<storage> b: u32;";
    let rows = [
        (sized("257"), "maxComputeWorkgroupSizeX", 257.0, 256.0),
        (sized("1, 257"), "maxComputeWorkgroupSizeY", 257.0, 256.0),
        (sized("1, 1, 65"), "maxComputeWorkgroupSizeZ", 65.0, 64.0),
        (sized("4294967296"), "maxComputeWorkgroupSizeX", 4294967296.0, 256.0),
        (sized("16, 16, 2"), "maxComputeInvocationsPerWorkgroup", 512.0, 256.0),
        (with("@group(4) @binding(0) var<storage> a: u32;", "_ = a;"), "maxBindGroups", 5.0, 4.0),
        (with("@group(0) @binding(1000) var<storage> a: u32;", "_ = a;"), "maxBindingsPerBindGroup", 1001.0, 1000.0),
        (
            with(&format!("{storage} @group(1) @binding(0) var<storage> c: u32;"), "_ = a + b + c;"),
            "maxStorageBuffersPerShaderStage",
            3.0,
            2.0,
        ),
        (
            with("@group(0) @binding(0) var<uniform> a: u32; @group(0) @binding(1) var<uniform> b: u32;", "_ = a + b;"),
            "maxUniformBuffersPerShaderStage",
            2.0,
            1.0,
        ),
        (
            with("@group(0) @binding(0) var<uniform> a: array<vec4f, 4097>;", "_ = a[0];"),
            "maxUniformBufferBindingSize",
            65552.0,
            65536.0,
        ),
        (
            with(
                "var<workgroup> a: array<f32, 4000>; var<workgroup> b: array<vec4f, 24>; var<workgroup> c: u32;",
                "a[0] = 1; b[0] = vec4f(); c = 1;",
            ),
            "maxComputeWorkgroupStorageSize",
            16400.0,
            16384.0,
        ),
    ];
    for (outcome, limit, requested, allowed) in rows {
        assert_refused(
            outcome,
            "1004 KernelCompileFailed limit-exceeded at compile",
            &[("requested", requested), ("allowed", allowed)],
            &format!("`main` asks for {requested}, but {limit} allows {allowed}."),
        );
    }
    assert!(sized("256").is_ok() && sized("4, 1, 64").is_ok());
    assert!(with(storage, "_ = a + b;").is_ok());
    assert!(with("var<workgroup> a: array<f32, 4096>;", "a[0] = 1;").is_ok());
    let unreached = with("var<workgroup> a: array<f32, 9999>; @group(9) @binding(0) var<storage> b: u32;", "");
    assert!(unreached.is_ok(), "what is not reached passes no limit");
}

#[test]
fn what_is_no_buffer_is_refused_where_it_is_reached() {
    let rows = [
        ("@group(0) @binding(0) var image: texture_2d<f32>;", "_ = textureDimensions(image);", "texture_2d<f32>"),
        ("@group(0) @binding(0) var image: sampler;", "_ = image;", "sampler"),
        (
            "@group(0) @binding(0) var image: texture_storage_2d<rgba8unorm, write>;",
            "_ = textureDimensions(image);",
            "texture_storage_2d<rgba8unorm, write>",
        ),
        ("var<immediate> image: vec4<f32>;", "_ = image;", "var<immediate>"),
    ];
    for (declaration, body, got) in rows {
        assert_refused(
            with(declaration, body),
            "1006 InvalidProgram unsupported-binding at compile",
            &[],
            &format!("`image` of `main` is {got}, and kernels here bind storage and uniform buffers only."),
        );
        assert!(with(declaration, "").is_ok(), "{got} does no harm where it is not reached");
    }
}

#[test]
fn two_reached_variables_in_one_place_are_refused() {
    let both = "@group(0) @binding(3) var<storage> a: u32;\n@group(0) @binding(3) var<uniform> b: u32;";
    assert_refused(
        with(both, "_ = a + b;"),
        "1006 InvalidProgram undecided at compile",
        &[("line", 2.0)],
        "`main`: line 2: `a` has the same @group and @binding.",
    );
    assert!(with(both, "_ = b;").is_ok());
}

#[test]
fn what_nobody_asks_about_need_not_be_understood() {
    let odd =
        "@group(0) @binding(0) var<storage> odd: array<vec9q, f(1)>; const c = vec2(1).x; alias T = U; var<w> d: e;";
    assert!(with(odd, "").is_ok());
}
