use super::refuse::{invalid, within_limit};
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
    let length = count(length, "length", label, Operation::Upload)?;
    let byte_len = length.saturating_mul(dtype.bytes());
    let alloc_bytes = byte_len.checked_next_multiple_of(4).unwrap_or(u64::MAX).max(4);
    within_limit(Operation::Upload, label, "maxBufferSize", alloc_bytes, limits.max_buffer_bytes)?;
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
pub fn count(value: f64, argument: &str, label: &str, operation: Operation) -> Result<u64, ComputeError> {
    const GREATEST: f64 = 9_007_199_254_740_991.0;
    if (0.0..=GREATEST).contains(&value) && value.trunc() == value {
        return Ok(value as u64);
    }
    Err(invalid(operation, label, argument, "a whole number of at least 0", value.into()))
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
    Elements { dtype, length: buffer_length, label, operation }.span(start, end)
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
    let elements = Elements { dtype, length: buffer_length, label, operation: Operation::Upload };
    let mut view = elements.span(Some(start), end)?;
    view.byte_offset = view.byte_offset.saturating_add(parent_byte_offset);
    if !view.byte_offset.is_multiple_of(limits.storage_offset_alignment) {
        let step = limits.storage_offset_alignment.div_ceil(dtype.bytes());
        return Err(elements.misaligned("start", view.start, step, view.end));
    }
    elements.ends_on_word(view.end)?;
    Ok(view)
}

/// The elements of a buffer or view that something is about to be done to.
#[derive(Clone, Copy)]
pub(super) struct Elements<'a> {
    /// Type of one.
    pub dtype: DType,
    /// How many there are.
    pub length: u64,
    /// Label of the buffer.
    pub label: &'a str,
    /// What is done.
    pub operation: Operation,
}

impl Elements<'_> {
    /// The index that JavaScript gave, which may be one past the last element.
    pub fn index(&self, value: f64, argument: &str) -> Result<u64, ComputeError> {
        let element = count(value, argument, self.label, self.operation)?;
        self.within(element, argument)?;
        Ok(element)
    }

    /// Refuses an index past the end.
    pub fn within(&self, element: u64, argument: &str) -> Result<(), ComputeError> {
        if element <= self.length {
            return Ok(());
        }
        Err(Reason::OutOfRange
            .at(self.operation)
            .with("label", self.label)
            .with("argument", argument)
            .with("got", element)
            .with("allowed", format!("{} elements", self.length)))
    }

    /// The part from `start` (default 0) to `end` (default the length).
    pub fn span(&self, start: Option<f64>, end: Option<f64>) -> Result<Span, ComputeError> {
        let start = self.index(start.unwrap_or(0.0), "start")?;
        let end = self.index(end.unwrap_or(self.length as f64), "end")?;
        if start > end {
            let expected = format!("at most end ({end})");
            return Err(invalid(self.operation, self.label, "start", &expected, start.into()));
        }
        let bytes = self.dtype.bytes();
        Ok(Span { start, end, byte_offset: start * bytes, byte_len: (end - start) * bytes })
    }

    /// Refuses a range that starts or ends inside a 4-byte word. An empty one can be anywhere.
    pub fn on_words(&self, name: &str, start: u64, end: u64) -> Result<(), ComputeError> {
        if start == end {
            return Ok(());
        }
        if !(start * self.dtype.bytes()).is_multiple_of(4) {
            return Err(self.misaligned(name, start, 4 / self.dtype.bytes(), self.length));
        }
        self.ends_on_word(end)
    }

    /// Refuses an end inside a 4-byte word, unless the rest of the word is padding because the buffer ends there.
    fn ends_on_word(&self, end: u64) -> Result<(), ComputeError> {
        if (end * self.dtype.bytes()).is_multiple_of(4) || end == self.length {
            return Ok(());
        }
        Err(self.misaligned("end", end, 4 / self.dtype.bytes(), self.length))
    }

    /// The error for an index that is not a multiple of `step`, with the nearest one up to `most`.
    fn misaligned(&self, name: &str, got: u64, step: u64, most: u64) -> ComputeError {
        let below = got - got % step;
        let above = below + step;
        let nearest = if got - below > above - got && above <= most { above } else { below };
        Reason::Misaligned
            .at(self.operation)
            .with("label", self.label)
            .with("name", name)
            .with("got", got)
            .with("alignment", step)
            .with("nearest", nearest)
    }
}
