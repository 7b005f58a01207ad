use super::{DType, Limits};
use crate::error::{ComputeError, Operation, Reason};

/// What must be allocated for a buffer.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct BufferPlan {
    /// Type of one element.
    pub dtype: DType,
    /// Elements.
    pub length: u64,
    /// Bytes of the elements.
    pub byte_len: u64,
    /// Bytes to allocate: a multiple of 4 and at least 4, so that every element can be copied, written and bound.
    pub alloc_bytes: u64,
}

/// A range of a buffer, in elements and in bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Span {
    /// First element.
    pub start: u64,
    /// One past the last element.
    pub end: u64,
    /// Bytes before the first element.
    pub byte_offset: u64,
    /// Bytes of the elements.
    pub byte_len: u64,
}

/// Plans a buffer of `length` elements; zero elements are allowed and take 4 bytes.
///
/// A buffer past `maxStorageBufferBindingSize` is fine until it is bound.
///
/// # Errors
/// - `InvalidProgram` for a length that is not a whole number, or past `maxBufferSize`.
pub fn buffer(dtype: DType, length: f64, label: &str, limits: &Limits) -> Result<BufferPlan, ComputeError> {
    let length = count(length, "length", Operation::Upload).map_err(|error| error.with("label", label))?;
    let byte_len = length.saturating_mul(dtype.bytes());
    let alloc_bytes = byte_len.checked_next_multiple_of(4).unwrap_or(u64::MAX).max(4);
    if alloc_bytes > limits.max_buffer_bytes {
        return Err(Reason::LimitExceeded
            .at(Operation::Upload)
            .with("label", label)
            .with("limit", "maxBufferSize")
            .with("requested", alloc_bytes)
            .with("allowed", limits.max_buffer_bytes));
    }
    Ok(BufferPlan { dtype, length, byte_len, alloc_bytes })
}

/// Refuses an allocation that would pass the memory budget, if there is one.
///
/// # Errors
/// - `DeviceOutOfMemory` when `used` and `alloc_bytes` together pass `budget`.
pub fn budget(used: u64, alloc_bytes: u64, budget: Option<u64>, label: &str) -> Result<(), ComputeError> {
    match budget {
        Some(allowed) if used.saturating_add(alloc_bytes) > allowed => Err(Reason::BudgetExceeded
            .at(Operation::Upload)
            .with("label", label)
            .with("requested", alloc_bytes)
            .with("used", used)
            .with("allowed", allowed)),
        _ => Ok(()),
    }
}

/// The whole number that JavaScript gave, from 0 to 2^53 - 1.
///
/// # Errors
/// - `InvalidProgram` for anything else, naming `argument`.
pub fn count(value: f64, argument: &str, operation: Operation) -> Result<u64, ComputeError> {
    const GREATEST: f64 = 9_007_199_254_740_991.0;
    if (0.0..=GREATEST).contains(&value) && value.trunc() == value {
        return Ok(value as u64);
    }
    Err(Reason::ArgumentInvalid
        .at(operation)
        .with("argument", argument)
        .with("expected", "a whole number of at least 0")
        .with("got", value))
}

/// The part of a buffer from `start` (default 0) to `end` (default its length), in elements.
///
/// # Errors
/// - `InvalidProgram` for a bound that is not a whole number, lies outside the buffer, or for `start` past `end`.
pub fn span(
    dtype: DType,
    buffer_length: u64,
    start: Option<f64>,
    end: Option<f64>,
    label: &str,
    operation: Operation,
) -> Result<Span, ComputeError> {
    let bound = |value: Option<f64>, argument, default| -> Result<u64, ComputeError> {
        let Some(value) = value else { return Ok(default) };
        let element = count(value, argument, operation).map_err(|error| error.with("label", label))?;
        within(element, argument, buffer_length, label, operation)?;
        Ok(element)
    };
    let start = bound(start, "start", 0)?;
    let end = bound(end, "end", buffer_length)?;
    if start > end {
        return Err(Reason::ArgumentInvalid
            .at(operation)
            .with("label", label)
            .with("argument", "start")
            .with("expected", ["at most end (", &end.to_string(), ")"].concat())
            .with("got", start));
    }
    Ok(Span { start, end, byte_offset: start * dtype.bytes(), byte_len: (end - start) * dtype.bytes() })
}

/// Refuses an element index past the end of a buffer.
pub(super) fn within(
    element: u64,
    argument: &str,
    buffer_length: u64,
    label: &str,
    operation: Operation,
) -> Result<(), ComputeError> {
    if element <= buffer_length {
        return Ok(());
    }
    Err(Reason::OutOfRange
        .at(operation)
        .with("label", label)
        .with("argument", argument)
        .with("got", element)
        .with("allowed", [&buffer_length.to_string(), " elements"].concat()))
}

/// The part of a buffer that a view binds. `byte_offset` counts from the start of the GPU buffer: `parent_byte_offset`
/// is where the buffer that `start` and `end` count in begins there.
///
/// An f16 view may end between two 4-byte words only where its parent ends: what is bound is whole words, and the kernel
/// would reach the neighbour's element.
///
/// # Errors
/// - `InvalidProgram` for a bad range, or a start that is not on the device's offset alignment; `nearest` would do.
pub fn subarray(
    dtype: DType,
    buffer_length: u64,
    parent_byte_offset: u64,
    start: f64,
    end: Option<f64>,
    label: &str,
    limits: &Limits,
) -> Result<Span, ComputeError> {
    let operation = Operation::Upload;
    let mut view = span(dtype, buffer_length, Some(start), end, label, operation)?;
    view.byte_offset = view.byte_offset.saturating_add(parent_byte_offset);
    let step = limits.storage_offset_alignment.div_ceil(dtype.bytes()).max(1);
    if !view.byte_offset.is_multiple_of(limits.storage_offset_alignment) {
        return Err(misaligned("start", view.start, step, view.end, label, operation));
    }
    aligned_end(dtype, view.end, buffer_length, label, operation)?;
    Ok(view)
}

/// Refuses an end inside a 4-byte word, unless the rest of the word is padding because the buffer ends there.
pub(super) fn aligned_end(
    dtype: DType,
    end: u64,
    buffer_length: u64,
    label: &str,
    operation: Operation,
) -> Result<(), ComputeError> {
    if (end * dtype.bytes()).is_multiple_of(4) || end == buffer_length {
        return Ok(());
    }
    Err(misaligned("end", end, 4 / dtype.bytes(), buffer_length, label, operation))
}

/// The error for an element index that is not a multiple of `step` elements, with the nearest one up to `most`.
pub(super) fn misaligned(
    name: &str,
    got: u64,
    step: u64,
    most: u64,
    label: &str,
    operation: Operation,
) -> ComputeError {
    let below = got - got % step;
    let above = below.saturating_add(step);
    let nearest = if got - below > above - got && above <= most { above } else { below };
    Reason::Misaligned
        .at(operation)
        .with("label", label)
        .with("name", name)
        .with("got", got)
        .with("alignment", step)
        .with("nearest", nearest)
}
