//! What only a browser can show: one wasm-pack target, so that one browser start serves every test.
//!
//! These drive `gpu` directly, below JavaScript: the same calls the boundary makes, on a real device.

#![cfg(target_arch = "wasm32")]
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test says so what it needs")]

mod fixture;

use std::rc::Rc;

use js_sys::{Float32Array, Uint32Array};
use steadfast_gpu::gpu::{AcquireOptions, Argument, Gpu, Request, Target};
use steadfast_gpu::plan::{DType, Grid, Place};
use steadfast_gpu::{ErrorCode, Operation, Reason};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

use fixture::{Answer, acquired, floats, kernel, read, shape, uncaptured, words};

wasm_bindgen_test_configure!(run_in_browser);

const SQUARE: &str = "
@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;
@compute @workgroup_size(64)
fn square(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&y)) { y[id.x] = x[id.x] * x[id.x]; }
}";

const COUNT: &str = "
@group(0) @binding(0) var<storage, read_write> n: array<u32>;
@compute @workgroup_size(1)
fn count() { n[0] += 1; }";

#[wasm_bindgen_test]
async fn the_device_has_the_adapters_own_limits_and_its_subgroups() {
    let gpu = acquired().await;
    let limit = |name: &str| gpu.device().limit_values.iter().find(|(of, _)| of == name).map(|(_, value)| *value);
    assert_eq!(limit("maxBufferSize"), Some(gpu.device().limits.max_buffer_bytes as f64));
    assert!(gpu.device().limits.max_buffer_bytes > 256 << 20, "SwiftShader offers 1 GiB, the default is 256 MiB");
    assert!(gpu.device().features.iter().any(|feature| feature == "subgroups"), "{:?}", gpu.device().features);
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn a_feature_no_adapter_has_is_unsupported() {
    let options = AcquireOptions { features: vec!["time-travel".to_owned()], ..Default::default() };
    let failure = Gpu::acquire(options, Box::new(|_| {})).await.err().expect("a refusal");
    assert_eq!(failure.error.code(), ErrorCode::UnsupportedFeature);
    assert_eq!(failure.error.reason(), Reason::FeatureMissing);
    assert_eq!(failure.error.to_string(), "The feature `time-travel` is not available on this device.");
}

#[wasm_bindgen_test]
async fn a_kernel_equals_its_twin_at_every_edge_of_a_workgroup() {
    let gpu = acquired().await;
    let square = kernel(&gpu, SQUARE);
    let shape = shape(&square, &["x", "y"]);
    for length in [0_usize, 1, 63, 64, 65, 1000] {
        let input: Vec<f32> = (0..length).map(|index| index as f32).collect();
        let array = Float32Array::from(input.as_slice());
        let request = Request {
            kernel: square.clone(),
            shape: shape.clone(),
            arguments: vec![Argument::Array(array.into(), DType::F32), Argument::Out(DType::F32, length as f64)],
            target: Target::Grid(Grid::FromOutput),
        };
        let (done, answer) = Answer::new();
        gpu.dispatch(1, &request, Place::Run, Default::default(), done).expect("good arguments");
        let outcome = answer.await.expect("a good run");
        let twin: Vec<f32> = input.iter().map(|value| value * value).collect();
        assert_eq!(floats(outcome.results.first().expect("one result")), twin, "length {length}");
    }
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn many_jobs_at_once_each_get_their_own_result() {
    let gpu = acquired().await;
    let square = kernel(&gpu, SQUARE);
    let shape = shape(&square, &["x", "y"]);
    let answers: Vec<_> = (0..200_u32)
        .map(|job| {
            let array = Float32Array::from([job as f32, 2.0].as_slice());
            let request = Request {
                kernel: square.clone(),
                shape: shape.clone(),
                arguments: vec![Argument::Array(array.into(), DType::F32), Argument::Out(DType::F32, 2.0)],
                target: Target::Grid(Grid::FromOutput),
            };
            let (done, answer) = Answer::new();
            gpu.dispatch(job, &request, Place::Run, Default::default(), done).expect("good arguments");
            answer
        })
        .collect();
    for (job, answer) in answers.into_iter().enumerate() {
        let outcome = answer.await.expect("a good run");
        let job = job as f32;
        assert_eq!(floats(outcome.results.first().expect("one result")), [job * job, 4.0]);
    }
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn a_compile_error_says_where_and_reaches_the_call() {
    let gpu = acquired().await;
    let broken = kernel(&gpu, "@compute @workgroup_size(1)\nfn main() { nonsense(); }");
    let (done, answer) = Answer::new();
    broken.when_ready(done);
    let failure = answer.await.expect_err("a refusal");
    assert_eq!(failure.error.code(), ErrorCode::KernelCompileFailed);
    assert_eq!(failure.error.operation(), Operation::Compile);
    assert_eq!(failure.error.reason(), Reason::Wgsl);
    assert_eq!(failure.error.get("line"), Some(&2_u32.into()));
    assert_eq!(failure.error.get("snippet"), Some(&"fn main() { nonsense(); }".into()));
    assert!(!failure.cause.is_undefined(), "the browser's own object is kept");
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn one_bad_call_of_a_hundred_fails_alone_and_the_others_run_once() {
    let gpu = acquired().await;
    let count = kernel(&gpu, COUNT);
    let shape = shape(&count, &["n"]);
    let counters: Vec<_> = (0..100)
        .map(|index| Rc::new(gpu.create_buffer(DType::U32, 1.0, format!("counter {index}")).expect("a buffer")))
        .collect();
    let bad = counters.get(50).expect("a hundred").buffer().expect("it lives");
    bad.raw().expect("it exists").destroy();
    let answers: Vec<_> = counters
        .iter()
        .map(|counter| {
            let request = Request {
                kernel: count.clone(),
                shape: shape.clone(),
                arguments: vec![Argument::Buffer(counter.clone())],
                target: Target::Grid(Grid::Workgroups([1.0; 3])),
            };
            let (done, answer) = Answer::new();
            gpu.dispatch(1, &request, Place::Resident, Default::default(), done).expect("good arguments");
            answer
        })
        .collect();
    for (index, answer) in answers.into_iter().enumerate() {
        match answer.await {
            Ok(_) => assert_ne!(index, 50),
            Err(failure) => {
                assert_eq!(index, 50, "{failure:?}");
                assert_eq!(failure.error.code(), ErrorCode::DispatchFailed);
                assert_eq!(failure.error.get("label"), Some(&"count".into()));
            }
        }
    }
    for (index, counter) in counters.iter().enumerate().filter(|(index, _)| *index != 50) {
        assert_eq!(words(&read(&gpu, counter).await), [1], "counter {index}");
    }
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn a_write_after_a_dispatch_is_not_seen_by_it() {
    let gpu = acquired().await;
    let square = kernel(&gpu, SQUARE);
    let (x, y) = (
        Rc::new(gpu.create_buffer(DType::F32, 2.0, "x".to_owned()).expect("a buffer")),
        Rc::new(gpu.create_buffer(DType::F32, 2.0, "y".to_owned()).expect("a buffer")),
    );
    gpu.write(&x, &Float32Array::from([3.0, 4.0].as_slice()).into(), 0.0).expect("it fits");
    let request = Request {
        kernel: square.clone(),
        shape: shape(&square, &["x", "y"]),
        arguments: vec![Argument::Buffer(x.clone()), Argument::Buffer(y.clone())],
        target: Target::Grid(Grid::FromOutput),
    };
    let (done, answer) = Answer::new();
    gpu.dispatch(1, &request, Place::Resident, Default::default(), done).expect("good arguments");
    gpu.write(&x, &Float32Array::from([7.0, 8.0].as_slice()).into(), 0.0).expect("it fits");
    answer.await.expect("a good dispatch");
    assert_eq!(floats(&read(&gpu, &y).await), [9.0, 16.0]);
    assert_eq!(floats(&read(&gpu, &x).await), [7.0, 8.0]);
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn dropped_buffers_give_their_memory_back() {
    let gpu = acquired().await;
    for round in 0..50 {
        let buffer = Rc::new(gpu.create_buffer(DType::U32, 1024.0, "round".to_owned()).expect("a buffer"));
        gpu.write(&buffer, &Uint32Array::from([round].as_slice()).into(), 7.0).expect("it fits");
        assert_eq!(words(&read(&gpu, &buffer).await).get(7), Some(&round));
    }
    let (live_bytes, _, _, pooled_bytes) = gpu.memory();
    assert_eq!(live_bytes, pooled_bytes, "only the pool holds memory");
    gpu.close().await;
    assert_eq!(gpu.memory().0, 0, "close frees the pool");
}

#[wasm_bindgen_test]
async fn a_buffer_past_the_limit_fails_every_use_with_the_numbers() {
    let gpu = acquired().await;
    let most = gpu.device().limits.max_buffer_bytes;
    let huge = gpu.create_buffer(DType::U32, most as f64, "huge".to_owned()).expect("a handle");
    let (done, _answer) = Answer::new();
    let failure = gpu.read(1, &huge, (None, None), None, done).expect_err("a refusal");
    assert_eq!(failure.error.code(), ErrorCode::InvalidProgram);
    assert_eq!(failure.error.reason(), Reason::LimitExceeded);
    assert_eq!(failure.error.get("requested"), Some(&(most * 4).into()));
    assert_eq!(failure.error.get("allowed"), Some(&most.into()));
    gpu.close().await;
}

#[wasm_bindgen_test]
async fn a_lost_device_rejects_what_is_under_way_and_what_comes_after() {
    let gpu = acquired().await;
    let buffer = Rc::new(gpu.create_buffer(DType::U32, 4.0, "kept".to_owned()).expect("a buffer"));
    let (done, answer) = Answer::new();
    gpu.read(1, &buffer, (None, None), None, done).expect("good arguments");
    gpu.device().raw.destroy();
    let failure = answer.await.expect_err("the device is gone");
    assert_eq!(failure.error.code(), ErrorCode::DeviceLost);
    assert_eq!(failure.error.to_string(), "The device was lost during read of `kept`.");
    let (done, answer) = Answer::new();
    gpu.read(2, &buffer, (None, None), None, done).expect("good arguments");
    assert_eq!(answer.await.expect_err("still gone").error.code(), ErrorCode::DeviceLost);
}

#[wasm_bindgen_test]
async fn an_error_of_nobodys_scope_becomes_an_event() {
    let (gpu, events) = uncaptured().await;
    let descriptor = js_sys::Object::new();
    steadfast_gpu::gpu::set(&descriptor, "size", 16);
    steadfast_gpu::gpu::set(&descriptor, "usage", 0);
    gpu.device().raw.create_buffer(&descriptor).expect("no throw");
    let buffer = gpu.create_buffer(DType::U32, 1.0, "good".to_owned()).expect("a buffer");
    read(&gpu, &Rc::new(buffer)).await;
    gpu.close().await;
    let codes: Vec<_> = events.borrow().iter().map(|failure| failure.error.code()).collect();
    assert_eq!(codes, [ErrorCode::DispatchFailed]);
}
