//! The reader of WGSL declarations beside naga, over kernels as people write them, and over what becomes of them when
//! somebody slips.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test panics as the test does"
)]
#![cfg(not(target_arch = "wasm32"))]

#[path = "wgsl/mutation.rs"]
mod mutation;
#[path = "wgsl/naga_oracle.rs"]
mod naga_oracle;
#[path = "wgsl/reading.rs"]
mod reading;

use mutation::{edit, edited};
use naga_oracle::{Facts, Oracle, Variable};
use proptest::prelude::*;
use reading::{cases, facts, no_limits};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use steadfast_gpu::Reason;
use steadfast_gpu::plan::{KernelOptions, kernel};

/// A kernel of the corpus: its file's name and its text.
type Source = (String, String);

/// The kernels of a folder, by name.
fn sources(folder: &str) -> Vec<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl").join(folder);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "wgsl")).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

static CORPUS: LazyLock<Vec<Source>> = LazyLock::new(|| sources(""));

fn entry(name: &str, constants: &[(String, f64)]) -> KernelOptions {
    KernelOptions { entry_point: Some(name.to_owned()), constants: constants.to_vec(), label: None }
}

/// The compute entry points of a module, and a value for each override without a default.
fn runs(oracle: &Oracle) -> (Vec<String>, Vec<(String, f64)>) {
    let compute = oracle.module.entry_points.iter().filter(|entry| entry.stage == naga::ShaderStage::Compute);
    let bare = oracle.module.overrides.iter().filter(|(_, bare)| bare.init.is_none());
    let key = |bare: &naga::Override| bare.id.map_or_else(|| bare.name.clone().unwrap(), |id| id.to_string());
    (compute.map(|entry| entry.name.clone()).collect(), bare.map(|(_, bare)| (key(bare), 4.0)).collect())
}

#[test]
fn the_corpus_holds_at_least_150_kernels() {
    let count = CORPUS.len();
    assert!(count >= 150, "{count} kernels");
}

#[test]
fn every_kernel_of_the_corpus_is_read_as_naga_reads_it() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for (name, wgsl) in CORPUS.iter() {
        let oracle = Oracle::read(wgsl).unwrap_or_else(|problem| panic!("naga refuses {name}: {problem}"));
        let (entry_points, constants) = runs(&oracle);
        for entry_point in entry_points {
            let plan = kernel(wgsl, &entry(&entry_point, &constants), &no_limits());
            let ours = plan.map(|plan| facts(&plan)).map_err(|error| error.to_string());
            let nagas = Ok(oracle.facts(&entry_point, &constants));
            if ours != nagas {
                wrong.push(format!("{name}, {entry_point}:\n ours {ours:#?}\n naga {nagas:#?}"));
            }
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > CORPUS.len(), "some kernels have several entry points");
}

/// Its file, its entry point, the reached variables, the unreached ones, and the workgroup size in x.
type Expected = (&'static str, &'static str, &'static [&'static str], &'static [&'static str], u32);

/// What kernels that naga 30 cannot judge must be read as, found by hand and with Tint.
const BEYOND_NAGA: &[Expected] = &[
    (
        "aligned_members_of_nested_structures",
        "unpack",
        &[
            "file 0.0 storage read File { header@0: Header { magic@0: u32[4], version@16: u32[4], \
             created@24: vec2<u32>[8], flags@36: u32[4] }[48], count@256: u32[4], records@320: array<Record { \
             id@0: vec2<u32>[8], position@32: vec3<f32>[12], kind@44: u32[4], tail@64: vec2<f32>[8], \
             last@128: f32[4] }[192]>/192[192] }[512]",
            "positions 0.1 storage read_write array<vec4<f32>[16]>/16[16]",
        ],
        &[],
        64,
    ),
    ("attributes_before_a_body", "dim", &["levels 0.0 storage read_write array<f32[4]>/4[4]"], &[], 32),
    ("immediate_data", "clear", &["colors 0.0 storage read_write array<vec4<f32>[16]>/16[16]"], &[], 64),
    ("linear_indices", "count", &["numbers 0.0 storage read_write array<u32[4]>/4[4]"], &[], 64),
    (
        "storage_pointer_helpers",
        "work",
        &[
            "todo 0.0 storage read_write Queue { head@0: atomic<u32>[4], tail@4: atomic<u32>[4], \
             jobs@8: array<u32[4], 1024>/4[4096] }[4104]",
            "done 0.1 storage read_write Queue { head@0: atomic<u32>[4], tail@4: atomic<u32>[4], \
             jobs@8: array<u32[4], 1024>/4[4096] }[4104]",
            "limit 0.3 uniform read u32[4]",
        ],
        &["failed 0.2 storage read_write Queue { head@0: atomic<u32>[4], tail@4: atomic<u32>[4], \
             jobs@8: array<u32[4], 1024>/4[4096] }[4104]"],
        64,
    ),
    (
        "subgroup_reduce",
        "sum",
        &["samples 0.0 storage read array<vec2<f16>[4]>/4[4]", "sums 0.1 storage read_write array<f32[4]>/4[4]"],
        &[],
        64,
    ),
    (
        "tight_uniform_arrays",
        "convolve",
        &[
            "kernel_taps 0.0 uniform read Kernel { radius@0: i32[4], taps@4: array<f32[4], 7>/4[28], \
             scale@32: vec2<f32>[8], tail@40: array<array<u32[4], 3>/4[12], 2>/12[24] }[64]",
            "row 0.1 storage read array<f32[4]>/4[4]",
            "smooth_row 0.2 storage read_write array<f32[4]>/4[4]",
        ],
        &[],
        128,
    ),
    (
        "workgroup_pointer_reduce",
        "sum",
        &["data 0.0 storage read array<f32[4]>/4[4]", "total 0.1 storage read_write array<f32[4]>/4[4]"],
        &[],
        64,
    ),
];

#[test]
fn kernels_that_naga_cannot_judge_are_read_as_wgsl_says() {
    let sources = sources("beyond_naga");
    let names: Vec<&str> = sources.iter().map(|(name, _)| name.as_str()).collect();
    let expected: Vec<&str> = BEYOND_NAGA.iter().map(|(name, ..)| *name).collect();
    assert_eq!(names, expected);
    let text = |(name, group, binding, space, access, layout): &Variable| {
        format!("{name} {group}.{binding} {space} {access} {layout}")
    };
    for ((name, wgsl), (_, entry_point, reached, unreached, width)) in sources.iter().zip(BEYOND_NAGA) {
        let plan = kernel(wgsl, &entry(entry_point, &[]), &no_limits()).unwrap();
        let facts = facts(&plan);
        assert_eq!(facts.reached.iter().map(text).collect::<Vec<_>>(), *reached, "{name}");
        assert_eq!(facts.unreached.iter().map(text).collect::<Vec<_>>(), *unreached, "{name}");
        assert_eq!((facts.workgroup_size, facts.uses_num_workgroups), ([*width, 1, 1], false), "{name}");
        assert!(
            Oracle::read(wgsl).is_err() || Oracle::read(wgsl).unwrap().facts(entry_point, &[]) != facts,
            "naga can judge {name} now: move it into the corpus"
        );
    }
}

/// Without the layouts, where naga computes some wrongly: it forgets `@align` in a nested structure.
fn comparable(mut facts: Facts, wgsl: &str) -> Facts {
    if wgsl.contains("@align") {
        facts.reached.iter_mut().chain(&mut facts.unreached).for_each(|variable| variable.5.clear());
    }
    facts
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn a_slip_that_naga_accepts_is_read_as_naga_reads_it(
        (name, wgsl) in prop::sample::select(CORPUS.as_slice()),
        edits in prop::collection::vec(edit(), 1..4),
    ) {
        let wgsl = edited(&wgsl, &edits);
        let Ok(oracle) = Oracle::read(&wgsl) else {
            // Whatever is wrong with it, the reader must come back.
            let _ = kernel(&wgsl, &KernelOptions::default(), &no_limits());
            return Ok(());
        };
        let (entry_points, constants) = runs(&oracle);
        for entry_point in entry_points {
            match kernel(&wgsl, &entry(&entry_point, &constants), &no_limits()) {
                Ok(plan) => prop_assert_eq!(
                    comparable(facts(&plan), &wgsl),
                    comparable(oracle.facts(&entry_point, &constants), &wgsl),
                    "{}: ours, naga's\n{}", name, wgsl
                ),
                Err(error) => prop_assert!(
                    matches!(error.reason(), Reason::Undecided | Reason::UnsupportedBinding),
                    "{name}: {error}\n{wgsl}"
                ),
            }
        }
    }

    #[test]
    fn any_text_gets_an_answer(text in ".{0,200}") {
        let _ = kernel(&text, &KernelOptions::default(), &no_limits());
    }

    #[test]
    fn any_heap_of_tokens_gets_an_answer(
        tokens in prop::collection::vec(prop::sample::select(vec![
            "@", "compute", "workgroup_size", "(", ")", "{", "}", "<", ">", "=", ";", ":", ",", ".", "fn", "var",
            "struct", "alias", "const", "override", "array", "vec3", "f32", "a", "b", "1", "4u", "-", "*", "storage",
            "@compute @workgroup_size(a) fn m() {", "const a = b;", "alias b = array<a, 2>;", "struct a { b: a }",
            "@group(0) @binding(0) var<storage> b: a;", "a.b", "let a", "for", "/*", "*/", "//", "\n", "0x", "~",
        ]), 0..60)
    ) {
        let _ = kernel(&tokens.join(" "), &KernelOptions::default(), &no_limits());
    }
}
