//! What is allocated for buffers, and the parts of them.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test panics as the test does"
)]

mod plan_refusal;

use plan_refusal::assert_refused;
use steadfast_gpu::plan::{BufferPlan, DType, Limits, Span, budget, buffer, count, span, subarray};
use steadfast_gpu::{ComputeError, Operation};

fn allocated(dtype: DType, length: f64) -> Result<BufferPlan, ComputeError> {
    buffer(dtype, length, "b", &Limits::default())
}

const ARGUMENT: &str = "1006 InvalidProgram argument-invalid at upload";
const MISALIGNED: &str = "1006 InvalidProgram misaligned at upload";
const OUT_OF_RANGE: &str = "1006 InvalidProgram out-of-range at upload";

#[test]
fn a_buffer_takes_whole_words_and_at_least_one() {
    let rows = [
        (DType::F32, 0, 0, 4),
        (DType::F32, 1, 4, 4),
        (DType::I32, 63, 252, 252),
        (DType::U32, 64, 256, 256),
        (DType::F32, 65, 260, 260),
        (DType::F32, 65_536 * 64, 16_777_216, 16_777_216),
        (DType::F16, 0, 0, 4),
        (DType::F16, 1, 2, 4),
        (DType::F16, 2, 4, 4),
        (DType::F16, 65, 130, 132),
        (DType::Vec2f, 65, 520, 520),
        (DType::Vec4f, 16_777_216, 268_435_456, 268_435_456),
    ];
    for (dtype, length, byte_len, alloc_bytes) in rows {
        let expected = BufferPlan { dtype, length, byte_len, alloc_bytes };
        assert_eq!(allocated(dtype, length as f64).unwrap(), expected);
    }
}

#[test]
fn a_length_that_is_none_is_refused() {
    let too_long = 9_007_199_254_740_992.0;
    for (length, text) in [(-1.0, "-1"), (1.5, "1.5"), (f64::INFINITY, "inf"), (too_long, "9007199254740992")] {
        let message = format!("length must be a whole number of at least 0, but is {text}.");
        assert_refused(allocated(DType::F32, length), ARGUMENT, &[("got", length)], &message);
    }
    assert!(allocated(DType::F32, f64::NAN).unwrap_err().to_string().ends_with("but is NaN."));
    assert_eq!(count(-0.0, "n", "b", Operation::Read).unwrap(), 0);
    assert_eq!(count(too_long - 1.0, "n", "b", Operation::Read).unwrap(), 9_007_199_254_740_991);
}

#[test]
fn a_buffer_past_the_limit_is_refused() {
    assert_refused(
        allocated(DType::Vec4f, 16_777_217.0),
        "1006 InvalidProgram limit-exceeded at upload",
        &[("requested", 268_435_472.0), ("allowed", 268_435_456.0)],
        "`b` asks for 268435472, but maxBufferSize allows 268435456.",
    );
    assert!(allocated(DType::Vec4f, 9_007_199_254_740_991.0).is_err());
}

#[test]
fn a_budget_counts_what_is_there_already() {
    assert_eq!(budget(1 << 40, 4, None, "b"), Ok(()));
    assert_eq!(budget(96, 4, Some(100), "b"), Ok(()));
    assert_refused(
        budget(96, 8, Some(100), "b"),
        "1001 DeviceOutOfMemory budget-exceeded at upload",
        &[("requested", 8.0), ("used", 96.0), ("allowed", 100.0)],
        "`b` needs 8 bytes, but 96 of the budget of 100 bytes are in use.",
    );
    assert!(budget(u64::MAX, 4, Some(u64::MAX - 1), "b").is_err());
}

fn part(dtype: DType, start: Option<f64>, end: Option<f64>) -> Result<Span, ComputeError> {
    span(dtype, 10, start, end, "b", Operation::Upload)
}

#[test]
fn a_range_lies_inside_the_buffer() {
    let expected = |start, end, byte_offset, byte_len| Span { start, end, byte_offset, byte_len };
    assert_eq!(part(DType::F32, None, None).unwrap(), expected(0, 10, 0, 40));
    assert_eq!(part(DType::F16, Some(3.0), None).unwrap(), expected(3, 10, 6, 14));
    assert_eq!(part(DType::Vec4f, None, Some(4.0)).unwrap(), expected(0, 4, 0, 64));
    assert_eq!(part(DType::Vec2f, Some(10.0), Some(10.0)).unwrap(), expected(10, 10, 80, 0));
    assert_refused(
        part(DType::F32, Some(11.0), None),
        OUT_OF_RANGE,
        &[("got", 11.0)],
        "start is 11, but `b` has 10 elements.",
    );
    assert_refused(
        part(DType::F32, None, Some(11.0)),
        OUT_OF_RANGE,
        &[("got", 11.0)],
        "end is 11, but `b` has 10 elements.",
    );
    assert_refused(
        part(DType::F32, Some(5.0), Some(4.0)),
        ARGUMENT,
        &[("got", 5.0)],
        "start must be at most end (4), but is 5.",
    );
    assert_refused(
        part(DType::F32, Some(-1.0), None),
        ARGUMENT,
        &[("got", -1.0)],
        "start must be a whole number of at least 0, but is -1.",
    );
}

fn view(dtype: DType, length: u64, parent: u64, start: f64, end: Option<f64>) -> Result<Span, ComputeError> {
    subarray(dtype, length, parent, start, end, "b", &Limits::default())
}

#[test]
fn a_view_starts_on_the_device_s_alignment() {
    assert_eq!(
        view(DType::F32, 200, 0, 64.0, None).unwrap(),
        Span { start: 64, end: 200, byte_offset: 256, byte_len: 544 }
    );
    assert_eq!(view(DType::F32, 136, 256, 128.0, None).unwrap().byte_offset, 768, "a view of a view");
    assert_eq!(view(DType::Vec4f, 64, 0, 16.0, Some(16.0)).unwrap().byte_len, 0);
    let rows = [
        (DType::F32, 200, 65.0, None, 64, 64),
        (DType::F32, 200, 97.0, None, 64, 128),
        (DType::F32, 200, 96.0, None, 64, 64),
        (DType::F32, 200, 127.0, Some(127.0), 64, 64),
        (DType::F32, 100, 99.0, None, 64, 64),
        (DType::F16, 500, 100.0, None, 128, 128),
        (DType::Vec2f, 100, 33.0, None, 32, 32),
        (DType::Vec4f, 100, 15.0, None, 16, 16),
        (DType::Vec4f, 100, 1.0, None, 16, 0),
    ];
    for (dtype, length, start, end, alignment, nearest) in rows {
        assert_refused(
            view(dtype, length, 0, start, end),
            MISALIGNED,
            &[("got", start), ("alignment", f64::from(alignment)), ("nearest", f64::from(nearest))],
            &format!("`start` is {start}, but must be a multiple of {alignment}; {nearest} would do."),
        );
        assert!(view(dtype, length, 0, f64::from(nearest), end).is_ok(), "{nearest} would do");
    }
}

#[test]
fn a_view_of_halves_ends_between_words_only_where_its_buffer_does() {
    assert!(view(DType::F16, 131, 0, 128.0, None).is_ok());
    assert!(view(DType::F16, 131, 0, 0.0, Some(130.0)).is_ok());
    assert_refused(
        view(DType::F16, 132, 0, 0.0, Some(131.0)),
        MISALIGNED,
        &[("got", 131.0), ("alignment", 2.0), ("nearest", 130.0)],
        "`end` is 131, but must be a multiple of 2; 130 would do.",
    );
}
