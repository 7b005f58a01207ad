//! Memory and its movement: what is allocated, and which bytes each read, write, copy and fill touches.

#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test panics as the test does"
)]

mod plan_refusal;

use plan_refusal::assert_refused;
use steadfast_gpu::plan::{
    BufferPlan, CopyPlan, DType, FillPlan, Limits, Part, ReadPlan, Span, WritePlan, budget, buffer, copy, count,
    destination, fill, read, span, subarray, write,
};
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

#[test]
fn any_range_can_be_read() {
    let planned = |start, end| read(DType::F16, 9, start, end, "b", Operation::Read).unwrap();
    let span = |start, end| Span { start, end, byte_offset: start * 2, byte_len: (end - start) * 2 };
    let rows = [
        (None, None, ReadPlan { span: span(0, 9), copy_offset: 0, copy_bytes: 20, skip_bytes: 0 }),
        (Some(1.0), Some(2.0), ReadPlan { span: span(1, 2), copy_offset: 0, copy_bytes: 4, skip_bytes: 2 }),
        (Some(3.0), Some(7.0), ReadPlan { span: span(3, 7), copy_offset: 4, copy_bytes: 12, skip_bytes: 2 }),
        (Some(5.0), Some(5.0), ReadPlan { span: span(5, 5), copy_offset: 8, copy_bytes: 0, skip_bytes: 0 }),
    ];
    for (start, end, expected) in rows {
        assert_eq!(planned(start, end), expected);
    }
    assert_refused(
        read(DType::F32, 4, Some(1.0), Some(5.0), "b", Operation::Read),
        "1006 InvalidProgram out-of-range at read",
        &[("got", 5.0)],
        "end is 5, but `b` has 4 elements.",
    );
}

#[test]
fn a_destination_holds_exactly_what_is_read() {
    assert_eq!(destination(16, 16, "b"), Ok(()));
    assert_refused(
        destination(16, 12, "b"),
        "1006 InvalidProgram length-mismatch at read",
        &[("bytes", 12.0)],
        "`the destination` of `b` must be 16 bytes long, but is 12 bytes.",
    );
}

fn written(dtype: DType, length: u64, bytes: u64, offset: f64) -> Result<WritePlan, ComputeError> {
    write(dtype, length, bytes, offset, "b")
}

#[test]
fn a_write_is_whole_words_that_touch_no_neighbour() {
    let plan = |byte_offset, byte_len, pad_tail| WritePlan { byte_offset, byte_len, pad_tail };
    assert_eq!(written(DType::F32, 8, 12, 5.0).unwrap(), plan(20, 12, 0));
    assert_eq!(written(DType::F16, 5, 6, 2.0).unwrap(), plan(4, 6, 2));
    assert_eq!(written(DType::F16, 5, 4, 2.0).unwrap(), plan(4, 4, 0));
    assert_eq!(written(DType::F16, 5, 0, 3.0).unwrap(), plan(4, 0, 0));
    assert_eq!(written(DType::Vec4f, 2, 16, 1.0).unwrap(), plan(16, 16, 0));
    let numbers = |got, nearest| [("got", got), ("alignment", 2.0), ("nearest", nearest)];
    assert_refused(
        written(DType::F16, 5, 4, 1.0),
        MISALIGNED,
        &numbers(1.0, 0.0),
        "`offset` is 1, but must be a multiple of 2; 0 would do.",
    );
    assert_refused(
        written(DType::F16, 6, 2, 2.0),
        MISALIGNED,
        &numbers(3.0, 2.0),
        "`end` is 3, but must be a multiple of 2; 2 would do.",
    );
    assert_refused(
        written(DType::F32, 8, 12, 6.0),
        OUT_OF_RANGE,
        &[("got", 9.0)],
        "the end of the data is 9, but `b` has 8 elements.",
    );
    assert_refused(
        written(DType::F32, 8, 0, 9.0),
        OUT_OF_RANGE,
        &[("got", 9.0)],
        "offset is 9, but `b` has 8 elements.",
    );
    assert_refused(
        written(DType::Vec2f, 8, 12, 0.0),
        "1006 InvalidProgram length-mismatch at upload",
        &[("bytes", 12.0)],
        "`data` of `b` must be a multiple of 8 bytes (vec2f), but is 12 bytes.",
    );
    assert_refused(
        written(DType::F32, 8, 4, 0.5),
        ARGUMENT,
        &[("got", 0.5)],
        "offset must be a whole number of at least 0, but is 0.5.",
    );
}

fn dispatch(reason: &str) -> String {
    format!("1006 InvalidProgram {reason} at dispatch")
}

fn side(dtype: DType, length: u64, byte_offset: u64, label: &str) -> Part<'_> {
    Part { dtype, length, byte_offset, label }
}

#[test]
fn a_copy_moves_words() {
    let plan = |src_offset, dst_offset, byte_len| CopyPlan { src_offset, dst_offset, byte_len };
    let (src, dst) = (side(DType::F32, 10, 0, "s"), side(DType::F32, 20, 0, "d"));
    assert_eq!(copy(&src, &dst, None, None, None, false).unwrap(), plan(0, 0, 40));
    assert_eq!(copy(&src, &dst, Some(2.0), Some(5.0), Some(17.0), false).unwrap(), plan(8, 68, 12));
    assert_eq!(copy(&src, &dst, Some(3.0), Some(3.0), Some(20.0), false).unwrap(), plan(12, 80, 0));
    let (odd, other) = (side(DType::F16, 5, 0, "s"), side(DType::F16, 7, 0, "d"));
    assert_eq!(copy(&odd, &other, None, None, Some(2.0), false).unwrap(), plan(0, 4, 12));

    assert_refused(
        copy(&src, &other, None, None, None, false),
        &dispatch("argument-invalid"),
        &[],
        "the destination of a copy must be a buffer of f32, but is a buffer of f16.",
    );
    assert_refused(
        copy(&src, &dst, None, None, Some(11.0), false),
        &dispatch("out-of-range"),
        &[("got", 21.0)],
        "the end of the copy is 21, but `d` has 20 elements.",
    );
    assert_refused(
        copy(&src, &dst, None, Some(11.0), None, false),
        &dispatch("out-of-range"),
        &[("got", 11.0)],
        "end is 11, but `s` has 10 elements.",
    );
    assert_refused(
        copy(&odd, &other, None, Some(4.0), Some(3.0), false),
        &dispatch("misaligned"),
        &[("got", 3.0), ("alignment", 2.0), ("nearest", 2.0)],
        "`at` is 3, but must be a multiple of 2; 2 would do.",
    );
    assert_refused(
        copy(&odd, &other, None, None, None, false),
        &dispatch("misaligned"),
        &[("got", 5.0), ("alignment", 2.0), ("nearest", 4.0)],
        "`end` is 5, but must be a multiple of 2; 4 would do.",
    );
}

#[test]
fn a_copy_within_one_buffer_must_not_overlap() {
    let (low, high) = (side(DType::F32, 100, 0, "b"), side(DType::F32, 36, 256, "b[64..]"));
    assert!(copy(&low, &low, Some(0.0), Some(50.0), Some(50.0), true).is_ok());
    assert!(copy(&low, &high, Some(0.0), Some(36.0), None, true).is_ok());
    let aliased = "1006 InvalidProgram aliased at dispatch";
    let message = "`the source` and `the destination` of `b` are in the same buffer, and one of them is written.";
    assert_refused(copy(&low, &low, Some(0.0), Some(50.0), Some(49.0), true), aliased, &[], message);
    assert_refused(copy(&low, &high, Some(64.0), Some(100.0), None, true), aliased, &[], message);
    assert!(copy(&low, &high, Some(64.0), Some(64.0), None, true).is_ok());
}

#[test]
fn a_fill_repeats_one_element() {
    let planned = |dtype, value, start, end| fill(dtype, 9, value, start, end, "b");
    let FillPlan { span, padded_bytes, pattern, is_zero } = planned(DType::F16, -2.0, Some(2.0), None).unwrap();
    assert_eq!((span.byte_offset, span.byte_len, padded_bytes, is_zero), (4, 14, 16, false));
    assert_eq!(pattern, [0x00, 0xc0].repeat(8)[..]);
    let pattern = |dtype, value| planned(dtype, value, None, None).unwrap().pattern;
    assert_eq!(pattern(DType::I32, -2.0), [0xfe, 0xff, 0xff, 0xff].repeat(4)[..]);
    assert_eq!(pattern(DType::U32, 4_294_967_295.0), [0xff; 16]);
    assert_eq!(pattern(DType::Vec4f, 1.0), [0, 0, 0x80, 0x3f].repeat(4)[..]);
    assert!(planned(DType::F32, 0.0, None, None).unwrap().is_zero);
    assert!(!planned(DType::F32, -0.0, None, None).unwrap().is_zero, "minus zero has a sign");
    assert!(planned(DType::F16, 1e-30, None, None).unwrap().is_zero);
    assert_refused(
        planned(DType::U32, -1.0, None, None),
        &dispatch("argument-invalid"),
        &[("got", -1.0)],
        "value must be a whole number from 0 to 4294967295, but is -1.",
    );
    assert_refused(
        planned(DType::F16, 1.0, Some(3.0), None),
        &dispatch("misaligned"),
        &[("got", 3.0), ("alignment", 2.0), ("nearest", 2.0)],
        "`start` is 3, but must be a multiple of 2; 2 would do.",
    );
    assert_refused(
        planned(DType::F16, 1.0, None, Some(3.0)),
        &dispatch("misaligned"),
        &[("got", 3.0), ("alignment", 2.0), ("nearest", 2.0)],
        "`end` is 3, but must be a multiple of 2; 2 would do.",
    );
}
