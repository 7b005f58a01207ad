//! Moving bytes: WebGPU writes, copies and fills whole 4-byte words, and elements can be smaller.
//!
//! Offsets here count from the start of the buffer or view that the element indexes count in.

use super::buffer::Elements;
use super::half::half_bits;
use super::refuse::{aliased, invalid, wrong_length};
use super::{DType, Scalar, Span};
use crate::error::{ComputeError, Operation};

/// Bytes of the words that hold these bytes.
const fn words(byte_len: u64) -> u64 {
    byte_len.saturating_add(3) & !3
}

/// What to copy to a mappable buffer so that a range can be read.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReadPlan {
    /// What was asked for.
    pub span: Span,
    /// Where the copy starts, a multiple of 4.
    pub copy_offset: u64,
    /// Bytes of the copy, a multiple of 4; zero for an empty range.
    pub copy_bytes: u64,
    /// Bytes of the copy before the wanted ones.
    pub skip_bytes: u64,
}

/// Plans reading elements `start` to `end`; any range can be read.
///
/// # Errors
/// - `InvalidProgram` for a bad range, as [`super::span`].
pub fn read(
    dtype: DType,
    buffer_length: u64,
    start: Option<f64>,
    end: Option<f64>,
    label: &str,
    operation: Operation,
) -> Result<ReadPlan, ComputeError> {
    let span = Elements { dtype, length: buffer_length, label, operation }.span(start, end)?;
    let skip_bytes = if span.byte_len == 0 { 0 } else { span.byte_offset % 4 };
    let copy_offset = span.byte_offset & !3;
    let copy_bytes = words(skip_bytes + span.byte_len);
    Ok(ReadPlan { span, copy_offset, copy_bytes, skip_bytes })
}

/// Checks that the caller's array holds exactly the bytes read.
///
/// # Errors
/// - `InvalidProgram` for an array of another length.
pub fn destination(byte_len: u64, array_bytes: u64, label: &str) -> Result<(), ComputeError> {
    if array_bytes == byte_len {
        return Ok(());
    }
    Err(wrong_length(Operation::Read, label, "the destination", format!("{byte_len} bytes long"), array_bytes))
}

/// Where written bytes go.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WritePlan {
    /// Where the write starts, a multiple of 4.
    pub byte_offset: u64,
    /// Bytes of the data.
    pub byte_len: u64,
    /// Zero bytes to append so that the write is whole words; they land in the padding behind the last element.
    pub pad_tail: u64,
}

/// Plans writing `data_bytes` bytes from element `offset` on. No neighbour element is ever touched.
///
/// # Errors
/// - `InvalidProgram` for data that is not whole elements or does not fit, and for f16 data that starts or ends inside
///   a 4-byte word; `nearest` would do.
pub fn write(
    dtype: DType,
    buffer_length: u64,
    data_bytes: u64,
    offset: f64,
    label: &str,
) -> Result<WritePlan, ComputeError> {
    let elements = Elements { dtype, length: buffer_length, label, operation: Operation::Upload };
    let bytes = dtype.bytes();
    if !data_bytes.is_multiple_of(bytes) {
        let expected = format!("a multiple of {bytes} bytes ({})", dtype.name());
        return Err(wrong_length(Operation::Upload, label, "data", expected, data_bytes));
    }
    let start = elements.index(offset, "offset")?;
    let end = start + data_bytes / bytes;
    elements.within(end, "the end of the data")?;
    elements.on_words("offset", start, end)?;
    Ok(WritePlan { byte_offset: (start * bytes) & !3, byte_len: data_bytes, pad_tail: words(data_bytes) - data_bytes })
}

/// One side of a copy: a buffer or view.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Type of one element.
    pub dtype: DType,
    /// Elements.
    pub length: u64,
    /// Where it begins in the GPU buffer; zero for a whole buffer.
    pub byte_offset: u64,
    /// Its label.
    pub label: &'a str,
}

/// What to copy from one buffer to another, each offset counted from the start of its own [`Part`].
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CopyPlan {
    /// Where the copy starts in the source, a multiple of 4.
    pub src_offset: u64,
    /// Where it starts in the destination, a multiple of 4.
    pub dst_offset: u64,
    /// Bytes of the copy, a multiple of 4: with an odd f16 tail, the padding behind both last elements is included.
    pub byte_len: u64,
}

/// Plans copying elements `start` to `end` of `src` to element `at` of `dst`. `same_buffer` says that both lie in one
/// GPU buffer; WebGPU refuses a direct copy within one buffer, so such a plan goes through scratch.
///
/// # Errors
/// - `InvalidProgram` for different element types, bad ranges, f16 ranges that start or end inside a 4-byte word, and
///   ranges of one GPU buffer that overlap.
pub fn copy(
    src: &Part,
    dst: &Part,
    start: Option<f64>,
    end: Option<f64>,
    at: Option<f64>,
    same_buffer: bool,
) -> Result<CopyPlan, ComputeError> {
    let operation = Operation::Dispatch;
    let dtype = src.dtype;
    if dtype != dst.dtype {
        let expected = format!("a buffer of {}", dtype.name());
        let got = format!("a buffer of {}", dst.dtype.name());
        return Err(invalid(operation, dst.label, "the destination of a copy", &expected, got.into()));
    }
    let source = Elements { dtype, length: src.length, label: src.label, operation };
    let target = Elements { length: dst.length, label: dst.label, ..source };
    let from = source.span(start, end)?;
    let at = target.index(at.unwrap_or(0.0), "at")?;
    let stop = at + (from.end - from.start);
    target.within(stop, "the end of the copy")?;
    source.on_words("start", from.start, from.end)?;
    target.on_words("at", at, stop)?;
    let plan = CopyPlan {
        src_offset: from.byte_offset & !3,
        dst_offset: (at * dtype.bytes()) & !3,
        byte_len: words(from.byte_len),
    };
    let read = src.byte_offset.saturating_add(plan.src_offset);
    let written = dst.byte_offset.saturating_add(plan.dst_offset);
    if same_buffer && read.abs_diff(written) < plan.byte_len {
        return Err(aliased(src.label, "the source", "the destination"));
    }
    Ok(plan)
}

/// What to fill a range with.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FillPlan {
    /// The range.
    pub span: Span,
    /// Bytes to write from `span.byte_offset` on, a multiple of 4; what is past the range is padding.
    pub padded_bytes: u64,
    /// The bytes of one element, repeated.
    pub pattern: [u8; 16],
    /// True when every byte is zero, so that the range can be cleared.
    pub is_zero: bool,
}

/// Plans setting elements `start` to `end` to `value`; every component of a vector gets it.
///
/// # Errors
/// - `InvalidProgram` for a bad range, an f16 range that starts or ends inside a 4-byte word, or a value that an integer
///   type cannot hold.
pub fn fill(
    dtype: DType,
    buffer_length: u64,
    value: f64,
    start: Option<f64>,
    end: Option<f64>,
    label: &str,
) -> Result<FillPlan, ComputeError> {
    let elements = Elements { dtype, length: buffer_length, label, operation: Operation::Dispatch };
    let mut span = elements.span(start, end)?;
    elements.on_words("start", span.start, span.end)?;
    // An empty range can start anywhere; what is encoded cannot.
    span.byte_offset &= !3;
    let Some((bytes, length)) = scalar_bytes(dtype.scalar(), value) else {
        let expected = whole_number(dtype.scalar());
        return Err(invalid(Operation::Dispatch, label, "value", expected, value.into()));
    };
    let mut pattern = [0; 16];
    for (byte, from) in pattern.iter_mut().zip(bytes.iter().take(length).cycle()) {
        *byte = *from;
    }
    let padded_bytes = words(span.byte_len);
    Ok(FillPlan { span, padded_bytes, pattern, is_zero: pattern == [0; 16] })
}

/// The bytes of one scalar and how many of them count; none when an integer type cannot hold the value.
pub(super) fn scalar_bytes(scalar: Scalar, value: f64) -> Option<([u8; 4], usize)> {
    if !scalar.holds(value) {
        return None;
    }
    let bytes = match scalar {
        Scalar::F32 => (value as f32).to_le_bytes(),
        Scalar::I32 => (value as i32).to_le_bytes(),
        Scalar::U32 => (value as u32).to_le_bytes(),
        Scalar::F16 => u32::from(half_bits(value)).to_le_bytes(),
        Scalar::Bool => return None,
    };
    Some((bytes, scalar.bytes() as usize))
}

/// The words for what an integer type can hold.
pub(super) const fn whole_number(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I32 => "a whole number from -2147483648 to 2147483647",
        Scalar::U32 => "a whole number from 0 to 4294967295",
        Scalar::F32 | Scalar::F16 | Scalar::Bool => "a number",
    }
}
