//! Which bytes each read, write, copy and fill touches.

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
    CopyPlan, DType, FillPlan, Part, ReadPlan, Span, WritePlan, copy, destination, fill, read, write,
};
use steadfast_gpu::{ComputeError, Operation};

const ARGUMENT: &str = "1006 InvalidProgram argument-invalid at upload";
const MISALIGNED: &str = "1006 InvalidProgram misaligned at upload";
const OUT_OF_RANGE: &str = "1006 InvalidProgram out-of-range at upload";

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
