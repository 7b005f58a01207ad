//! The reader of WGSL declarations beside naga, over kernels as people write them.

#![cfg(not(target_arch = "wasm32"))]

#[path = "wgsl/naga_oracle.rs"]
mod naga_oracle;
#[path = "wgsl/reading.rs"]
mod reading;

use naga_oracle::{Facts, Oracle};
use reading::facts;
use std::path::{Path, PathBuf};
use steadfast_gpu::plan::{KernelOptions, Limits, kernel};

/// Limits that nothing in the corpus passes, so that the reader alone is tested.
fn no_limits() -> Limits {
    Limits {
        max_buffer_bytes: u64::MAX,
        max_storage_binding_bytes: u64::MAX,
        max_uniform_binding_bytes: u64::MAX,
        max_storage_buffers: u32::MAX,
        max_uniform_buffers: u32::MAX,
        max_dynamic_uniform_buffers: u32::MAX,
        max_bind_groups: u32::MAX,
        max_bindings_per_group: u32::MAX,
        max_workgroups: u32::MAX,
        max_invocations: u32::MAX,
        max_workgroup_size: [u32::MAX; 3],
        max_workgroup_memory_bytes: u64::MAX,
        ..Limits::default()
    }
}

/// The kernels of a folder: name and text, by name.
fn sources(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wgsl").join(folder);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "wgsl")).collect();
    paths.sort();
    let name = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).unwrap())).collect()
}

fn corpus() -> Vec<(String, String)> {
    sources("")
}

#[test]
fn the_corpus_holds_at_least_150_kernels() {
    let count = corpus().len();
    assert!(count >= 150, "{count} kernels");
}

#[test]
fn every_kernel_of_the_corpus_is_read_as_naga_reads_it() {
    let mut wrong = Vec::new();
    for (name, wgsl) in corpus() {
        let oracle = match Oracle::read(&wgsl) {
            Ok(oracle) => oracle,
            Err(problem) => {
                wrong.push(format!("{name}: naga refuses it: {problem}"));
                continue;
            }
        };
        let constants: Vec<(String, f64)> = oracle.bare_overrides().into_iter().map(|key| (key, 4.0)).collect();
        for entry_point in oracle.entry_points() {
            let options =
                KernelOptions { entry_point: Some(entry_point.clone()), constants: constants.clone(), label: None };
            let ours =
                kernel(&wgsl, &options, &no_limits()).map(|plan| facts(&plan)).map_err(|error| error.to_string());
            let expected: Result<Facts, String> = Ok(oracle.facts(&entry_point, &constants));
            if ours != expected {
                wrong.push(format!("{name}, {entry_point}:\n ours {ours:#?}\n naga {expected:#?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
